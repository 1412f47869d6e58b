import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { SiteRecordChange } from '../../src/domain/organisation/ports.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { Photo } from '../../src/domain/photos/photo.ts';
import { STAMP, applyFailing, applyOne, editPet, photo, putPet, removePet } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

type Put = Extract<SiteRecordChange, { kind: 'put' }>;

function put(text: string, other: Partial<Put> = {}): Put {
  return {
    kind: 'put',
    record: 'organisation',
    text,
    precondition: undefined,
    action: 'organisation.changed',
    stamp: STAMP,
    ...other,
  };
}

function setLogo(logo: Photo | undefined, other: Partial<SiteRecordChange> = {}): SiteRecordChange {
  const { text: _text, ...change } = put('');
  return { ...change, ...other, kind: 'set-photo', photo: logo };
}

/** The photos that are deleted after the grace time. */
async function clearUnused({ photos }: DatabaseStores): Promise<readonly string[]> {
  const beforeMs = Date.now() + 60_000;
  return applyOne(photos, { kind: 'doom', beforeMs, strayDigests: [], nowMs: beforeMs, claimMs: 1000, most: 10 });
}

function ifMatch(value: string) {
  return { precondition: { ifMatch: [{ weak: false, value }] } };
}

export function describeSiteRecords(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('site records', () => {
    test('do not exist before their first change', async ({ siteRecords }) => {
      assert.equal(await siteRecords.find('organisation'), undefined);
      assert.equal(await siteRecords.apply(put('{}', ifMatch('0'))), 1n);
    });

    test('are replaced, and counted on their own', async ({ siteRecords }) => {
      await siteRecords.apply(put('{"name":"One"}'));
      await siteRecords.apply(put('{"name":"Two 🐕"}', { stamp: { ...STAMP, atMs: 2000 } }));
      await siteRecords.apply(put('[]', { record: 'own-fields', action: 'own-fields.changed' }));
      assert.deepEqual(await siteRecords.find('organisation'), {
        version: 2n,
        text: '{"name":"Two 🐕"}',
        photo: undefined,
        changedAtMs: 2000,
        changedBy: undefined,
      });
      assert.equal((await siteRecords.find('own-fields'))?.version, 1n);
    });

    test('are changed only at the version that the author read', async ({ siteRecords, audit }) => {
      await siteRecords.apply(put('1'));
      await siteRecords.apply(put('2', ifMatch('1')));
      await applyFailing(siteRecords, put('3', ifMatch('1')), 'precondition-failed');
      assert.equal((await siteRecords.find('organisation'))?.text, '2');
      const entries = await audit.list({ action: 'organisation.changed' }, { beforeId: undefined, limit: 10 });
      assert.deepEqual(
        entries.map(({ details }) => details),
        [{ version: '2' }, { version: '1' }],
      );
    });

    test('keep their photo in use until it is replaced, also if a pet had it', async (stores) => {
      const { siteRecords, pets, photos, statistics } = stores;
      const [logo, other] = [photo('a'), photo('b')];
      assert.equal(await siteRecords.apply(setLogo(logo)), 1n);
      await siteRecords.apply(put('{"name":"One"}'));
      const record = await siteRecords.find('organisation');
      assert.deepEqual([record?.photo, record?.text, record?.version], [logo.digest, '{"name":"One"}', 2n]);
      assert.deepEqual(await photos.find(logo.digest), logo);
      assert.deepEqual(await statistics.countPhotos(), { count: 1, bytes: logo.byteLength });

      const { id } = await applyOne(pets, putPet());
      await applyOne(pets, editPet(id, { photo: logo }));
      await applyOne(pets, removePet(id));
      assert.deepEqual(await clearUnused(stores), []);
      assert.deepEqual(await statistics.countPhotos(), { count: 1, bytes: logo.byteLength });

      await siteRecords.apply(setLogo(other));
      assert.deepEqual(await statistics.countPhotos(), { count: 1, bytes: other.byteLength });
      assert.deepEqual(await clearUnused(stores), [logo.digest]);
      await applyFailing(siteRecords, setLogo(logo, { stamp: { ...STAMP, atMs: Date.now() + 60_000 } }), 'unavailable');
      assert.equal((await siteRecords.find('organisation'))?.photo, other.digest);

      await siteRecords.apply(setLogo(undefined));
      assert.deepEqual(await statistics.countPhotos(), { count: 0, bytes: 0 });
      assert.deepEqual(await clearUnused(stores), [other.digest]);
      assert.equal((await siteRecords.find('organisation'))?.text, '{"name":"One"}');
    });

    test('leave a photo in use that a pet has as well', async (stores) => {
      const { siteRecords, pets, statistics } = stores;
      const logo = photo('a');
      const { id } = await applyOne(pets, putPet());
      await applyOne(pets, editPet(id, { photo: logo }));
      await siteRecords.apply(setLogo(logo));
      await siteRecords.apply(setLogo(undefined));
      assert.deepEqual(await clearUnused(stores), []);
      assert.deepEqual(await statistics.countPhotos(), { count: 1, bytes: logo.byteLength });
    });

    test('are changed one after the other by concurrent authors', async ({ siteRecords }) => {
      const versions = await Promise.all(['a', 'b', 'c'].map((text) => siteRecords.apply(put(text))));
      assert.deepEqual(versions, [1n, 2n, 3n]);
      assert.equal((await siteRecords.find('organisation'))?.text, 'c');
    });
  });
}
