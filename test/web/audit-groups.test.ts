import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntryView } from '../../src/web/administration/admin-queries.ts';
import { groupEntries } from '../../src/web/administration/audit/entry-groups.ts';

function edited(...pets: readonly string[]): readonly AuditEntryView[] {
  return pets.map((id, index) => ({
    id: BigInt(100 - index),
    at: '2026-11-28T12:00:00Z',
    action: 'pet.edited',
    actor: { id: 1n, name: 'edna' },
    via: 'session',
    credential: 'a',
    address: '127.0.0.1',
    subject: { kind: 'pet', id, name: 'Luna' },
    outcome: 'done',
    details: null,
  }));
}

const sizesOf = (...pets: readonly string[]) => groupEntries(edited(...pets)).map(({ length }) => length);

void test('groups of the audit log: count different pets', () => {
  assert.deepEqual(sizesOf('1', '1', '1', '1'), [1, 1, 1, 1]);
  assert.deepEqual(sizesOf('1', '2', '3', '4'), [4]);
  assert.deepEqual(sizesOf('1', '2', '3', '1', '2', '3'), [3, 3]);
  assert.deepEqual(sizesOf('1', '2', '1', '3'), [1, 1, 1, 1]);
});
