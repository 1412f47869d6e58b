import { randomBytes } from 'node:crypto';
import type { Connections } from './engine/connections.ts';
import { statement } from './engine/statements.ts';
import { inOrder } from './engine/transactions.ts';

/** Random data, which cannot be compressed. A full disk often accepts small changes. */
const PROBE_BYTES = 128 * 1024;

const insert = statement(
  `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer) values ('probe', '', '', 0, 0, $1)`,
);
const remove = statement(`delete from idempotent_request where digest = 'probe'`);

/** Makes a change and undoes it in the same transaction. @throws Failure `unavailable` if other changes fail as well */
export function probeChange(connections: Connections): Promise<void> {
  return inOrder(connections, async ({ ask, later }) => {
    later(ask(insert, randomBytes(PROBE_BYTES).toString('base64')));
    later(ask(remove));
  });
}
