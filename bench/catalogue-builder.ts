import { stampOf } from '../src/domain/audit.ts';
import { PET_STATUSES, recordOf } from '../src/domain/pets/pet.ts';
import { openStores } from '../src/main/stores.ts';

/*
 * Fills a data folder with so many pets, through the writer that the service has. Each pet is written once and in order, so its version is its id.
 * Called as: node catalogue-builder.ts FOLDER COUNT
 */

const IN_FLIGHT = 4096;
const PROGRESS_EVERY = 50_000;
const KINDS = ['Dogs', 'Cats', 'Rabbits', 'Lions'];
const NAMES = ['Biscuit', 'Juno', 'Waffles', 'Pepper', 'Olive', 'Bruno', 'Miso', 'Luna', 'Smokey', 'Nimbus', 'Ziggy'];
const TAGS = ['friendly', 'small', 'calm', 'clever', 'playful', 'shy', 'senior'];

const [folder = '', count = '0'] = process.argv.slice(2);
const total = Number(count);
const stores = await openStores({ dataDir: folder });
// As a client in open access is: such changes have no entry in the audit trail.
const stamp = stampOf({ kind: 'anonymous', address: '127.0.0.1' }, Date.now());

function newRecord(id: number) {
  const kind = id % KINDS.length;
  const tag = (offset: number) => ({ id: BigInt(1 + offset), name: TAGS[(id + offset) % TAGS.length] ?? '' });
  return recordOf({
    category: { id: BigInt(kind + 1), name: KINDS[kind] ?? '' },
    name: `${NAMES[id % NAMES.length]}`,
    photoUrls: [`https://pets.example.org/${id}.jpg`],
    tags: [tag(0), tag(3)],
    status: PET_STATUSES[id % 3] ?? 'available',
  });
}

for (let done = 0; done < total;) {
  const next = Math.min(total, done + IN_FLIGHT);
  const changes = Array.from({ length: next - done }, (_, index) =>
    stores.pets.apply({ kind: 'put', id: undefined, record: newRecord(done + index + 1), mustExist: false, stamp }),
  );
  await Promise.all(changes);
  if (Math.floor(done / PROGRESS_EVERY) < Math.floor(next / PROGRESS_EVERY)) console.log(`PROGRESS ${next}`);
  done = next;
}
const last = total === 0 ? undefined : await stores.pets.find(BigInt(total));
await stores.close();
console.log(`RESULT ${JSON.stringify({ lastTextBytes: last === undefined ? 0 : Buffer.byteLength(last.text) })}`);
