import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { SiteRecordChange } from '../../src/domain/organisation/ports.ts';
import { STAMP, applyFailing } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

function put(text: string, other: Partial<SiteRecordChange> = {}): SiteRecordChange {
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

    test('are changed one after the other by concurrent authors', async ({ siteRecords }) => {
      const versions = await Promise.all(['a', 'b', 'c'].map((text) => siteRecords.apply(put(text))));
      assert.deepEqual(versions, [1n, 2n, 3n]);
      assert.equal((await siteRecords.find('organisation'))?.text, 'c');
    });
  });
}
