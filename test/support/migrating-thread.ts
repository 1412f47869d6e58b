import { workerData } from 'node:worker_threads';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { migrate } from '../../src/storage/sqlite/migrations/migrations.ts';

/* A thread that migrates a database at the same moment as its siblings: it waits until the last one is ready. */

const { path, ready, siblings } = workerData as {
  path: string;
  ready: Int32Array<SharedArrayBuffer>;
  siblings: number;
};

if (Atomics.add(ready, 0, 1) + 1 === siblings) Atomics.notify(ready, 0);
for (let count = Atomics.load(ready, 0); count < siblings; count = Atomics.load(ready, 0))
  Atomics.wait(ready, 0, count);
const db = openDatabase(path);
migrate(db);
db.close();
