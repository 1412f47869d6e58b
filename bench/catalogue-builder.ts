import { setTimeout as delay } from 'node:timers/promises';
import { stampOf } from '../src/domain/audit.ts';
import { Failure } from '../src/domain/failure.ts';
import { openStores } from '../src/server/stores/open-stores.ts';
import { sampleRecord } from './tools/sample-pets.ts';

/*
 * Adds pets to a new data folder, with the writer of the service. Each pet is written once and in order, so its version
 * is its ID. The search index is saved with them, as a service does at its end.
 * Usage: node catalogue-builder.ts FOLDER COUNT
 */

const IN_FLIGHT = 4096;
const PROGRESS_EVERY = 50_000;
const RETRY_MS = 100;

const [folder = '', count = '0'] = process.argv.slice(2);
const total = Number(count);
const stores = await openStores({ dataDir: folder });
// Like a client in open access, whose changes are not in the audit log.
const stamp = stampOf({ kind: 'anonymous', address: '127.0.0.1' }, Date.now());

for (let done = 0; done < total;) {
  const next = Math.min(total, done + IN_FLIGHT);
  const changes = Array.from({ length: next - done }, (_, index) =>
    stores.pets.apply({ kind: 'put', id: undefined, record: sampleRecord(done + index + 1), mustExist: false, stamp }),
  );
  await Promise.all(changes);
  if (Math.floor(done / PROGRESS_EVERY) < Math.floor(next / PROGRESS_EVERY)) console.log(`PROGRESS ${next}`);
  done = next;
}
const last = total === 0 ? undefined : await stores.pets.find(BigInt(total));
while (!(await isIndexed())) await delay(RETRY_MS);
await stores.close();
console.log(`RESULT ${JSON.stringify({ lastTextBytes: last === undefined ? 0 : Buffer.byteLength(last.text) })}`);

/** Whether the search index has all pets. */
async function isIndexed(): Promise<boolean> {
  try {
    return (await stores.search.counts(true)).total === total;
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return false;
    throw error;
  }
}
