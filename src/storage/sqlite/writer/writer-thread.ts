import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../engine/database.ts';
import { FilePlaces } from '../engine/files/file-places.ts';
import { WriteTransactions } from './write-transactions.ts';
import { STARTED, type WriteJob } from '../engine/writer.ts';

/*
 * The writer thread. Each message is one transaction, to which it responds after it is durable.
 */

const port = parentPort ?? neverAlone();
const { databasePath } = workerData as { databasePath: string };
const db = openDatabase(databasePath);
const transactions = new WriteTransactions({ db, places: new FilePlaces(databasePath) });

port.on('message', (message: readonly WriteJob[] | 'close') => {
  if (message === 'close') {
    db.close();
    port.close();
    return;
  }
  port.postMessage(transactions.write(message));
});
port.postMessage(STARTED);

function neverAlone(): never {
  throw new Error('This file is the body of a thread.');
}
