import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canUse } from '../../src/server/health/service-user.ts';

const USER = { uid: 1000n, gids: new Set([1000n, 2000n]) };

void test('user of the service: uses what it owns, what its groups may change, and what everybody may change', () => {
  const cases: [uid: bigint, gid: bigint, mode: bigint, isFolder: boolean, expected: boolean][] = [
    [1000n, 1000n, 0o600n, false, true],
    [1000n, 1000n, 0o600n, true, false],
    [1000n, 2000n, 0o066n, false, false],
    [0n, 2000n, 0o2770n, true, true],
    [0n, 2000n, 0o660n, false, true],
    [0n, 2000n, 0o640n, false, false],
    [0n, 2000n, 0o606n, false, false],
    [0n, 0n, 0o660n, false, false],
    [0n, 0n, 0o666n, false, true],
  ];
  for (const [uid, gid, mode, isFolder, expected] of cases)
    assert.equal(canUse(USER, { uid, gid, mode, isDirectory: () => isFolder }), expected, `${uid}:${gid} ${mode}`);
});
