import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-allocation-site-pretenuring');

// As in cli/menagerie.js, like the flag. Modules that are imported before the cache is enabled would be compiled at
// every start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/menagerie', import.meta.url)));
await import('./worker.ts');
