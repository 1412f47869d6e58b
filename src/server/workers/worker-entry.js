import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// As in cli/menagerie.js: what is imported before the compile cache is set up is translated from TypeScript once more.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/menagerie', import.meta.url)));
await import('./worker.ts');
