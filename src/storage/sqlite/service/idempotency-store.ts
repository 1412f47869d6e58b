import type { DatabaseSync } from 'node:sqlite';
import {
  decideClaim,
  type ClaimOutcome,
  type IdempotencyStore,
  type NewClaim,
  type RequestChange,
} from '../../../domain/request-claim.ts';
import { requestColumns, toRequestRecord, type RequestRow } from '../../rows/requests.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

export class SqliteIdempotencyStore implements IdempotencyStore {
  readonly #writer: Writer;

  constructor({ writer }: { writer: Writer }) {
    this.#writer = writer;
  }

  claim(claim: NewClaim): Promise<ClaimOutcome> {
    return this.#writer.apply('claim', claim);
  }

  apply(change: RequestChange): Promise<number> {
    return this.#writer.apply('request', change);
  }
}

/** Claims requests: of several concurrent attempts, one gets the request. */
export class ClaimWrites implements TransactionWrites<NewClaim, ClaimOutcome> {
  readonly #find;
  readonly #begin;
  readonly #resume;

  constructor(db: DatabaseSync) {
    this.#find = prepareRows<RequestRow>(db, `select ${requestColumns('?')} from idempotent_request where digest = ?`);
    this.#begin = prepare(
      db,
      'insert or replace into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms) ' +
        'values (?, ?, ?, ?, ?)',
    );
    this.#resume = prepare(db, 'update idempotent_request set claim = ?, claimed_until_ms = ? where digest = ?');
  }

  apply(claim: NewClaim): ClaimOutcome {
    const { digest, fingerprint, token, nowMs, claimMs, expiresAtMs } = claim;
    const [row] = this.#find(nowMs, digest);
    const outcome = decideClaim(row && toRequestRecord(row), claim);
    if (outcome.kind === 'begun') this.#begin.run(digest, fingerprint, token, nowMs + claimMs, expiresAtMs);
    if (outcome.kind === 'resumed') this.#resume.run(token, nowMs + claimMs, digest);
    return outcome;
  }
}

/** The changes of claimed requests. */
export class RequestWrites implements TransactionWrites<RequestChange, number> {
  readonly #renew;
  readonly #record;
  readonly #delete;
  readonly #forget;

  constructor(db: DatabaseSync) {
    const ofToken = 'where digest = ? and claim = ?';
    this.#renew = prepare(db, `update idempotent_request set claimed_until_ms = ? ${ofToken}`);
    this.#record = prepare(
      db,
      `update idempotent_request set answer = ?, done_by = coalesce(done_by, claim), result = null, claimed_until_ms = 0 ${ofToken}`,
    );
    this.#delete = prepare(db, `delete from idempotent_request ${ofToken} and done_by is null`);
    this.#forget = prepare(
      db,
      `delete from idempotent_request where digest in
         (select digest from idempotent_request where expires_at_ms <= ? order by expires_at_ms limit ?)`,
    );
  }

  apply(change: RequestChange): number {
    switch (change.kind) {
      case 'renew':
        this.#renew.run(change.nowMs + change.claimMs, change.digest, change.token);
        break;
      case 'record':
        this.#record.run(change.response, change.digest, change.token);
        break;
      case 'release':
        this.#delete.run(change.digest, change.token);
        this.#renew.run(0, change.digest, change.token);
        break;
      case 'forget':
        return Number(this.#forget.run(change.nowMs, change.limit).changes);
    }
    return 0;
  }
}

/** Releases the claims of the last server of the folder. */
export function endClaims(db: DatabaseSync): void {
  db.exec('update idempotent_request set claimed_until_ms = 0 where claimed_until_ms > 0');
}
