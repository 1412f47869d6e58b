import type { DatabaseSync } from 'node:sqlite';
import { prepareChange } from './engine/database.ts';
import type { TransactionWrites, Writes } from './engine/writer.ts';

/** The size of a large change: a full disk often accepts small ones. */
const PROBE_BYTES = 1024 * 1024;

/** Makes a change and undoes it in the same transaction. It fails if other changes fail: SQLite writes the freed pages to the log as well. */
export class ProbeWrites implements TransactionWrites<Writes['probe']['change'], number> {
  readonly #insert;
  readonly #delete;

  constructor(db: DatabaseSync) {
    this.#insert = prepareChange(
      db,
      `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer)
       values ('probe', '', '', 0, 0, hex(zeroblob(?)))`,
    );
    this.#delete = prepareChange(db, `delete from idempotent_request where digest = 'probe'`);
  }

  apply(): number {
    this.#insert(PROBE_BYTES / 2);
    this.#delete();
    return 0;
  }
}
