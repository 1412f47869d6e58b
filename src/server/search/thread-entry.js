import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// Plain JavaScript: a thread does not inherit the compile cache, and TypeScript that is imported before the cache is
// enabled is compiled again.
const { compileCacheDir } = /** @type {{ compileCacheDir: string | undefined }} */ (workerData);
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
await import('./search-thread.ts');
