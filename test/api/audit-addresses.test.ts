import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditFilterOf } from '../../src/api/web/audit-addresses.ts';

void test('audit filter: includes the last day, also when clocks change on it', () => {
  for (const [day, next] of [
    ['2026-01-31', '2026-02-01'],
    ['2026-03-29', '2026-03-30'],
    ['2026-10-25', '2026-10-26'],
    ['2026-12-31', '2027-01-01'],
  ] as const)
    assert.deepEqual(auditFilterOf({ since: day, until: day, actor: 'edna' }), {
      actor: 'edna',
      since: new Date(`${day}T00:00:00`).toISOString(),
      until: new Date(`${next}T00:00:00`).toISOString(),
    });
});
