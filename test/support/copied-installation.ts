import assert from 'node:assert/strict';
import { chmod, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StorePlaces } from '../../src/server/configuration/config.ts';
import { createBackup } from '../../src/server/backup/create-backup.ts';
import { restoreBackup } from '../../src/server/backup/restore-backup.ts';
import { placesOf as placesOfInstallation } from '../../src/server/configuration/places.ts';
import { openPhotoStore } from '../../src/storage/files/photo-store.ts';
import { flipByte, type DamagedPlace } from './planted-damage.ts';
import { queryOnce } from './postgres-server.ts';
import { makeRichInstallation, serveOn, type Credentials } from './rich-installation.ts';
import type { Lifetime } from './lifetime.ts';
import { temporaryFolder, testConfig } from './service.ts';
import { sharedPostgres } from './shared-postgres.ts';

/* Copies of a rich installation, to be damaged. */

export interface Installation {
  folder: string;
  credentials: Credentials;
  digest: string;
  /** The URL of the same data on PostgreSQL. */
  template: string;
}

/** A rich installation with a saved search index, on both engines. */
export async function makeInstallation(lifetime: Lifetime): Promise<Installation> {
  const folder = join(await temporaryFolder(lifetime), 'data');
  const credentials = await makeRichInstallation(lifetime, folder);
  // A search loads the index, which is saved when the service stops.
  const { call, stop } = await serveOn(lifetime, folder);
  assert.equal((await call('GET', 'pet?text=rex')).status, 200);
  await stop();
  const db = new DatabaseSync(join(folder, 'menagerie.db'));
  const digest = String(db.prepare('select digest from pet_photo where pet_id = 2').get()?.['digest']);
  db.close();
  const postgres = await sharedPostgres();
  const template = await postgres.createDatabase();
  lifetime.after(() => postgres.dropDatabase(template));
  const backup = { folder: join(await temporaryFolder(lifetime), 'backup') };
  const watch = { onBegin() {}, onProgress() {}, signal: new AbortController().signal };
  const from = placesOfInstallation({ dataDir: folder });
  await createBackup({ from, to: backup, keep: undefined, watch });
  // The target has the photos already.
  const to = placesOfInstallation(placesOf(folder, template));
  assert.ok((await restoreBackup({ from: backup, backup: undefined, to, watch })).isFinished);
  return { folder, credentials, digest, template };
}

/** @param parent its folder, temporary by default */
export async function copyOn(
  t: Lifetime,
  { folder, digest, template }: Installation,
  engine: 'sqlite' | 'postgres',
  parent?: string,
): Promise<DamagedPlace> {
  const dataDir = join(parent ?? (await temporaryFolder(t)), 'data');
  await cp(folder, dataDir, { recursive: true, preserveTimestamps: true });
  // As the command creates them.
  await chmod(dataDir, 0o700);
  await chmod(join(dataDir, 'menagerie.db'), 0o600);
  const photoStore = await openPhotoStore(join(dataDir, 'photos'), false);
  const ofPhoto = join(dataDir, 'photos', digest.slice(0, 2), digest);
  async function flipSize(): Promise<void> {
    const names = (await readdir(ofPhoto)).filter((name) => name.startsWith('small-'));
    for (const name of names) await flipByte(join(ofPhoto, name));
  }
  const common = { photoStore, digest, flipSize, after: (end: () => Promise<void>) => t.after(end) };
  if (engine === 'sqlite')
    return { ...common, places: placesOf(dataDir), sql: async (text) => changeFile(dataDir, text) };
  for (const name of ['menagerie.db', 'menagerie.db-closed', 'search-index'])
    await rm(join(dataDir, name), { force: true });
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase({ template });
  t.after(() => postgres.dropDatabase(url));
  return { ...common, places: placesOf(dataDir, url), sql: async (text) => void (await queryOnce(url, text, [])) };
}

export function placesOf(dataDir: string, url?: string): StorePlaces {
  return testConfig(dataDir, url === undefined ? [] : ['--database-url', url]);
}

function changeFile(dataDir: string, sql: string): void {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { enableForeignKeyConstraints: true, timeout: 5000 });
  if (!sql.startsWith('delete from pet ')) db.exec('pragma foreign_keys = off');
  db.exec(sql);
  db.close();
}
