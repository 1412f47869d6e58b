import type { DatabaseSync } from 'node:sqlite';
import { prepareChange } from './engine/database.ts';
import type { TransactionWrites, Writes } from './engine/writer.ts';

/** As much as a large change: a full disk often has room for small ones. */
const PROBE_BYTES = 1024 * 1024;

/** A change that is undone in the same transaction, and fails when others do. SQLite writes the freed pages to the log as well. */
export function createProbeWrites(db: DatabaseSync): TransactionWrites<Writes['probe']['change'], number> {
  const insert = prepareChange(
    db,
    `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer)
     values ('probe', '', '', 0, 0, hex(zeroblob(?)))`,
  );
  const remove = prepareChange(db, `delete from idempotent_request where digest = 'probe'`);
  return {
    apply() {
      insert(PROBE_BYTES / 2);
      remove();
      return 0;
    },
  };
}
