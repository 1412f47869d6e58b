import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { assertOneState, Changes, type DatabasePlace } from '../test/support/backup-load.ts';
import { clientOf } from '../test/support/client.ts';
import { runMenagerie, startServer } from '../test/support/menagerie-process.ts';
import { outputOf } from '../test/support/operator-commands.ts';
import { startPostgres, type PostgresServer } from '../test/support/postgres-server.ts';
import { S3_CREDENTIALS, S3_REGION, startS3Server } from '../test/support/s3-server.ts';
import { temporaryFolder } from '../test/support/service.ts';

/*
 * Makes a backup every 10 seconds while clients change pets and users, restores each, and compares it with the history:
 *
 *   node scripts/soak-backups.ts --minutes 10 --engine postgres --photos s3
 *
 * Each must be the state at one commit, after all changes that were acknowledged before the backup began.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'sqlite' },
    photos: { type: 'string', default: 'folder' },
    /** Of each of 6 clients, after each change. */
    'pause-ms': { type: 'string', default: '100' },
  },
});
const INTERVAL_MS = 10_000;
const BUCKET = 'menagerie-soak';

/** A place for an installation, and its environment. */
interface Place {
  dataDir: string;
  database: DatabasePlace;
  environment: Readonly<Record<string, string>>;
  dispose(): Promise<void>;
}

const ends: (() => Promise<void> | void)[] = [];
const t = { after: (end: () => Promise<void> | void) => void ends.unshift(end) };
const folder = await temporaryFolder(t);
const postgres = values.engine === 'postgres' ? await startPostgres(t, {}) : undefined;
const endpoint = values.photos === 's3' ? await startBucket() : undefined;
const to = endpoint === undefined ? join(folder, 'backups') : urlOf('backups');

async function startBucket(): Promise<string> {
  const server = await startS3Server();
  if ('reason' in server) throw new Error(server.reason);
  t.after(() => server.stop());
  const { endpoint } = server;
  const client = new S3Client({ endpoint, region: S3_REGION, forcePathStyle: true, credentials: S3_CREDENTIALS });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  return endpoint;
}

function urlOf(prefix: string): string {
  return `s3://${BUCKET}/${prefix}?endpoint=${endpoint}&region=${S3_REGION}`;
}

async function newPlace(name: string, server: PostgresServer | undefined = postgres): Promise<Place> {
  const dataDir = join(folder, name);
  const url = await server?.createDatabase();
  return {
    dataDir,
    database: url === undefined ? { dataDir } : { url },
    environment: {
      ...(url !== undefined && { MENAGERIE_DATABASE_URL: url }),
      ...(endpoint !== undefined && {
        MENAGERIE_PHOTOS_URL: urlOf(name),
        AWS_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
      }),
    },
    async dispose() {
      if (url !== undefined) await server?.dropDatabase(url);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** @returns the duration of the backup */
async function backUpAndCompare(source: Place, load: Changes, round: number): Promise<number> {
  const acknowledged = load.lastVersion;
  const startedMs = performance.now();
  const backup = ['backup', to, '--keep', '3', '--data-dir', source.dataDir];
  outputOf(await runMenagerie(t, backup, { environment: source.environment }));
  const tookMs = performance.now() - startedMs;
  const target = await newPlace(`restored-${round}`);
  const restore = ['restore', to, '--data-dir', target.dataDir];
  // Fails if a photo is missing or damaged.
  outputOf(await runMenagerie(t, restore, { environment: target.environment }));
  const last = await assertOneState(target.database, source.database, acknowledged);
  await target.dispose();
  if (round % 6 === 0) console.log(`backup ${round}: state at version ${last}, ${Math.round(tookMs)} ms`);
  return tookMs;
}

async function soak(): Promise<string> {
  const source = await newPlace('source');
  const server = await startServer(t, source.dataDir, ['--empty'], { environment: source.environment });
  const load = new Changes(clientOf(server.base), Number(values['pause-ms']));
  load.start(t);
  await load.untilMore();
  const durations: number[] = [];
  let late = 0;
  const endsAtMs = Date.now() + Number(values.minutes) * 60_000;
  for (let dueMs = Date.now(); dueMs < endsAtMs; dueMs += INTERVAL_MS) {
    if (Date.now() > dueMs + INTERVAL_MS / 2) late++;
    await delay(Math.max(0, dueMs - Date.now()));
    durations.push(await backUpAndCompare(source, load, durations.length + 1));
  }
  await load.stop();
  const counts = `${durations.length} backups, each restored to one state, ${late} late`;
  const longest = Math.round(Math.max(...durations));
  return `${counts}; ${load.count} changes, last version ${load.lastVersion}; longest backup ${longest} ms`;
}

try {
  const result = await soak();
  console.log(`${values.engine}, photos in ${values.photos}, ${values.minutes} minutes: ${result}`);
} finally {
  for (const end of ends.splice(0)) await end();
}
