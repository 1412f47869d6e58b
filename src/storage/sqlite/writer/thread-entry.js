import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// Plain JavaScript: a thread does not inherit the compile cache, and what is imported before it is set up is translated
// from TypeScript once more.
const { compileCacheDir } = /** @type {{ compileCacheDir: string | undefined }} */ (workerData);
if (compileCacheDir !== undefined) enableCompileCache(compileCacheDir);
await import('./writer-thread.ts');
