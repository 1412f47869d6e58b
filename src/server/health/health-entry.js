import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// As in cli/menagerie.js. Modules that are imported before the cache is enabled would be compiled at every start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/menagerie', import.meta.url)));
await import('./health-process.ts');
