import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { CreatedPlayground } from '../../src/api/records/playgrounds/playground.ts';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { fill } from '../support/playgrounds.ts';
import { temporaryFolder } from '../support/service.ts';

const MEBIBYTE = 1024 * 1024;

const PLAYGROUND_MIB = 24;

/** Beyond what is counted: copies of one database that are being compressed, and what is not collected yet. */
const ALLOWANCE_MIB = 150;

const NETWORKS = 3;

const MAX_SNAPSHOTS = 10;

void test(
  'playground memory: the process stays small while clients fill playgrounds and take snapshots',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    const flags = ['--empty', '--access=sandbox', '--trusted-proxies=1', `--playground-memory-mib=${PLAYGROUND_MIB}`];
    const environment = { MALLOC_ARENA_MAX: '1' };
    const { base, child } = await startServer(t, await temporaryFolder(t), flags, { environment });
    const residentMib = async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    };
    const before = await residentMib();
    const call = clientOf(base);
    const statuses = new Set<number>();
    for (let network = 0; network < NETWORKS; network++) {
      const headers = { 'x-forwarded-for': `203.0.113.${network}` };
      for (;;) {
        const created = await call('POST', 'playgrounds', { json: { contents: 'empty' }, headers });
        statuses.add(created.status);
        if (created.status !== 200) break;
        const { token, base: own } = JSON.parse(created.text) as CreatedPlayground;
        const inside = clientOf(own);
        statuses.add((await fill({ call: inside })).refusal.status);
        for (let index = 0; index < MAX_SNAPSHOTS; index++) {
          statuses.add((await call('POST', `playgrounds/${token}/snapshots`, { headers })).status);
          // Each snapshot is of another state.
          await inside('DELETE', `pet/${index + 1}`);
        }
      }
    }
    const after = await residentMib();
    assert.ok(after - before < PLAYGROUND_MIB + ALLOWANCE_MIB, `${before} MiB before, ${after} MiB after`);
    assert.deepEqual(statuses, new Set([200, 507, 503]));
    const { text } = await call('GET', base.replace(/\/v2$/, '/metrics'));
    const counted = Number(/^menagerie_playground_memory_bytes (\d+)$/m.exec(text)?.[1]);
    assert.ok(counted <= PLAYGROUND_MIB * MEBIBYTE, String(counted));
  },
);
