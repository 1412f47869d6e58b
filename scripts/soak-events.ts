import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../test/support/client.ts';
import { followEvents, type EventClient } from '../test/support/event-client.ts';
import { nodeCount } from '../test/support/nodes.ts';
import { startTestService } from '../test/support/service.ts';

/*
 * Disconnects clients of the event stream again and again while pets change:
 *
 *   MENAGERIE_TEST_NODES=3 node scripts/soak-events.ts --minutes 60
 *
 * At the end, each client must have received every acknowledged change exactly once, in the order of versions. Without
 * the variable, one service runs on the embedded database; with it, this number of nodes on PostgreSQL, and clients
 * reconnect to other nodes.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    followers: { type: 'string', default: '5' },
    writers: { type: 'string', default: '4' },
  },
});
const endsAtMs = Date.now() + Number(values.minutes) * 60_000;

/** Mean duration of a connection; the maximum is five times as long. */
const MEAN_CONNECTION_MS = 1500;
const PAUSE_MS = 60;

const ends: (() => Promise<void>)[] = [];
const service = await startTestService({ after: (end) => void ends.unshift(end) });
const acknowledged = new Set<string>();
let cuts = 0;

const followers = Array.from({ length: Number(values.followers) }, () =>
  followEvents(() => `${service.base}/events`, { lastEventId: '0', retryMs: 20 }),
);

async function cutRepeatedly(client: EventClient): Promise<void> {
  while (Date.now() < endsAtMs) {
    await delay(Math.min(-Math.log(1 - Math.random()) * MEAN_CONNECTION_MS, 5 * MEAN_CONNECTION_MS));
    client.cut();
    cuts++;
  }
}

async function write(writer: number): Promise<void> {
  const call = clientOf(service.base);
  for (let count = 0; Date.now() < endsAtMs; count++) {
    const id = 1 + ((count * 7 + writer) % 200);
    try {
      const response =
        count % 10 === 9
          ? await call('DELETE', `pet/${id}`)
          : await call('POST', 'pet', { json: { id, name: `Rex ${writer} ${count}`, photoUrls: [] } });
      const etag = response.headers.get('etag');
      if (etag !== null) acknowledged.add(etag.replaceAll('"', ''));
      if (response.status >= 500) console.error(`${response.status} ${response.text}`);
    } catch (error) {
      // On a busy machine, the client may time out. The change was then not acknowledged.
      console.error(String(error));
    }
    await delay(Math.random() * 2 * PAUSE_MS);
  }
}

function faultsOf(client: EventClient): readonly string[] {
  const ids = client.events.map(({ id }) => id);
  const known = new Set(ids);
  const missed = [...acknowledged].filter((version) => !known.has(version));
  const unordered = ids.filter((id, index) => index > 0 && BigInt(id) <= BigInt(ids[index - 1] ?? '0'));
  return [...missed.map((id) => `missed: ${id}`), ...unordered.map((id) => `out of order or repeated: ${id}`)];
}

await Promise.all([
  ...followers.map(cutRepeatedly),
  ...Array.from({ length: Number(values.writers) }, (_, writer) => write(writer)),
]);
await clientOf(service.base)('POST', 'pet', { json: { id: 1000, name: 'The last', photoUrls: [] } });
for (const untilMs = Date.now() + 30_000; Date.now() < untilMs; await delay(100))
  if (followers.every(({ events }) => events.at(-1)?.data.includes('The last') === true)) break;

const same = followers.every(({ events }) => events.length === followers[0]?.events.length);
const faults = followers.flatMap(faultsOf);
for (const client of followers) client.close();
for (const end of ends) await end();
console.log(
  `${values.minutes} minutes, ${nodeCount()} nodes, ${followers.length} clients disconnected ${cuts} times: ` +
    `${acknowledged.size} acknowledged versions, ${followers.map(({ events }) => events.length).join(', ')} events received, ${faults.length} faults`,
);
for (const fault of faults.slice(0, 20)) console.error(fault);
process.exit(faults.length === 0 && same ? 0 : 1);
