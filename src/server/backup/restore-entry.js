import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// As in cli/menagerie.js. Modules that are imported before the cache is enabled would be compiled at every start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/menagerie', import.meta.url)));
const { lowerOwnPriority } = await import('../system/background-threads.ts');
// Before loading the program, which takes time as well.
lowerOwnPriority(Number(process.argv[2]));
await import('./restore-process.ts');
