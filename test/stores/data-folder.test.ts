import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { openStores, openStoresBesideServer } from '../../src/server/stores/open-stores.ts';
import { putPet } from '../support/changes.ts';
import { temporaryFolder } from '../support/service.ts';

const DATABASE = 'menagerie.db';

/** Every file of a folder with the digest of its bytes, except SQLite's auxiliary files. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/-shm$|-wal$|-journal$|\.lock$/.test(entry.name));
  const contents = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length), hash('sha256', await readFile(path))] as const;
  });
  return Object.fromEntries((await Promise.all(contents)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function refusalOf(folder: string): Promise<string> {
  try {
    const stores = await openStores({ dataDir: folder });
    await stores.close();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /^[A-Z][^\n]+\.$/);
    return error.message;
  }
  return assert.fail('expected a refusal');
}

/** A data folder that was in use, and is closed: one pet. */
async function usedFolder(folder: string): Promise<string> {
  const stores = await openStores({ dataDir: folder });
  await stores.pets.apply(putPet({ name: 'Old' }));
  await stores.close();
  return join(folder, DATABASE);
}

/**
 * Sets the version of a database.
 * @returns the previous version
 */
function swapVersion(path: string, version: number): number {
  const db = new DatabaseSync(path);
  const known = Number(db.prepare('pragma user_version').get()?.['user_version']);
  db.exec(`pragma user_version = ${version}`);
  db.close();
  return known;
}

const unusable: { name: string; fill: (path: string, folder: string) => Promise<void> | void; message: RegExp }[] = [
  {
    name: 'a database of a newer version',
    async fill(path, folder) {
      await usedFolder(folder);
      swapVersion(path, 99);
    },
    message: /newer Menagerie/,
  },
  {
    name: 'a database of another program',
    fill(path) {
      const db = new DatabaseSync(path);
      db.exec('create table pet (id integer); insert into pet values (1); pragma application_id = 42');
      db.close();
    },
    message: /another program/,
  },
  {
    name: 'a database of another program without an application id, with a write-ahead log',
    fill(path) {
      const db = new DatabaseSync(path);
      db.exec('pragma journal_mode = wal; create table bookmarks (url text)');
      db.close();
    },
    message: /another program/,
  },
  { name: 'a short text', fill: (path) => writeFile(path, 'hello'), message: /another program/ },
  { name: 'a long text', fill: (path) => writeFile(path, 'hello world '.repeat(4096)), message: /another program/ },
  { name: 'a file of zeros', fill: (path) => writeFile(path, Buffer.alloc(16_384)), message: /another program/ },
  {
    name: 'a folder',
    fill: (path) => mkdir(path).then(() => {}),
    message: /\(menagerie\.db: it is a folder, not a file\)/,
  },
];

void describe('data folder', () => {
  for (const { name, fill, message } of unusable) {
    void it(`with ${name} as its database: refused, every byte unchanged`, async (t) => {
      const folder = await temporaryFolder(t);
      await fill(join(folder, DATABASE), folder);
      const before = await contentsOf(folder);
      assert.match(await refusalOf(folder), message);
      assert.match(await refusalOf(folder), message, 'refused again');
      assert.deepEqual(await contentsOf(folder), before);
    });
  }

  const impossible: [path: string, reason: string][] = [
    ['file', 'a file with this name exists'],
    ['file/below', 'a part of its path is a file, not a folder'],
    ['x'.repeat(300), 'name too long'],
  ];
  for (const [path, reason] of impossible) {
    void it(`at ${path.slice(0, 10)}: refused with the reason`, async (t) => {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, 'file'), 'mine');
      const refusal = await refusalOf(join(folder, path));
      assert.ok(refusal.endsWith(`cannot be used (${reason}). Use another folder with --data-dir.`), refusal);
      assert.deepEqual(await readdir(folder), ['file']);
    });
  }

  void it(
    'in a place where nothing can be created: refused instead of waiting forever',
    { skip: process.platform !== 'linux' && 'only Linux has /proc' },
    async () => {
      for (const path of ['/proc/xyz', '/proc/xyz/below', '/proc/self/xyz'])
        assert.match(
          await refusalOf(path),
          /cannot be used \([^)]*nothing can be created there\)\. Use another folder/,
        );
    },
  );

  void it('with a file in the place of a folder: refused with its name', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'uploads'), 'mine');
    assert.match(
      await refusalOf(folder),
      /\(uploads: a file with this name exists\)\. Fix its contents or permissions, or use another folder with --data-dir\.$/,
    );
  });

  void it('without a table: refused as damaged', async (t) => {
    const folder = await temporaryFolder(t);
    const db = new DatabaseSync(await usedFolder(folder));
    db.exec('drop table pet_version');
    db.close();
    assert.match(
      await refusalOf(folder),
      /^The database \S+menagerie\.db is damaged \(no such table: pet_version\)\. Stop/,
    );
  });

  void it('refused: keeps its old files', async (t) => {
    const folder = await temporaryFolder(t);
    await mkdir(join(folder, 'uploads'));
    await writeFile(join(folder, 'uploads', 'holiday.jpg'), 'not ours');
    const longAgo = new Date(Date.now() - 100 * 24 * 3_600_000);
    await utimes(join(folder, 'uploads', 'holiday.jpg'), longAgo, longAgo);
    await writeFile(join(folder, DATABASE), 'not ours either');
    const before = await contentsOf(folder);
    await refusalOf(folder);
    assert.deepEqual(await contentsOf(folder), before);
  });

  void it('in use: locked for other servers, even in one process, until the first one closes', async (t) => {
    const folder = await temporaryFolder(t);
    const first = await openStores({ dataDir: folder });
    assert.match(await refusalOf(folder), /Another Menagerie server is using this data folder/);
    await first.pets.apply(putPet({ name: 'Still working' }));
    await first.close();
    const second = await openStores({ dataDir: folder });
    assert.match((await second.pets.find(1n))?.text ?? '', /Still working/);
    await second.close();
  });

  void it('after a refusal: unlocked', async (t) => {
    const folder = await temporaryFolder(t);
    const path = await usedFolder(folder);
    const known = swapVersion(path, 99);
    await refusalOf(folder);
    swapVersion(path, known);
    const stores = await openStores({ dataDir: folder });
    assert.match((await stores.pets.find(1n))?.text ?? '', /"Old"/);
    await stores.close();
  });

  void it('in use by a server: not migrated by a command', async (t) => {
    const folder = await temporaryFolder(t);
    const server = await openStores({ dataDir: folder });
    const known = swapVersion(join(folder, DATABASE), 1);
    await assert.rejects(
      openStoresBesideServer({ dataDir: folder }, true),
      /^Failure: The server on this data folder is an older version of Menagerie\. Stop it/,
    );
    assert.equal(swapVersion(join(folder, DATABASE), known), 1);
    const beside = await openStoresBesideServer({ dataDir: folder }, false);
    await beside.close();
    await server.close();
  });

  void it('migrated by a newer version meanwhile: readable, but no longer written to', async (t) => {
    const folder = await temporaryFolder(t);
    const path = await usedFolder(folder);
    const stores = await openStores({ dataDir: folder });
    const known = swapVersion(path, 99);
    const refusal = /^Failure: The database was migrated by a newer version of Menagerie\. Stop this version/;
    await assert.rejects(stores.pets.apply(putPet({ name: 'Late' })), refusal);
    await assert.rejects(stores.pets.apply(putPet({ name: 'Later' })), refusal);
    assert.match((await stores.pets.find(1n))?.text ?? '', /"Old"/);
    assert.equal(await stores.pets.find(2n), undefined);
    swapVersion(path, known);
    assert.equal((await stores.pets.apply(putPet({ name: 'In time' }))).id, 2n);
    await stores.close();
  });

  void it('closing: finishes pending changes first', async (t) => {
    const folder = await temporaryFolder(t);
    const stores = await openStores({ dataDir: folder });
    const asked = Array.from({ length: 2000 }, () => stores.pets.apply(putPet()));
    await new Promise((resolve) => setImmediate(resolve));
    const [stored] = await Promise.all([Promise.all(asked), stores.close()]);
    assert.equal(stored.length, 2000);
    const again = await openStores({ dataDir: folder });
    assert.equal((await again.pets.find(2000n))?.id, 2000n);
    await again.close();
  });
});
