import type { DatabaseSync } from 'node:sqlite';
import type { BatchedIdempotencyStore, RequestChange } from '../../domain/idempotency/request-claim.ts';
import {
  decideClaim,
  type ClaimOutcome,
  type HeldRequest,
  type NewClaim,
} from '../../domain/idempotency/request-claim.ts';
import { prepare, prepareRows } from './engine/database.ts';
import type { TransactionWrites, Writer } from './engine/writer.ts';

type HeldRow = [
  fingerprint: string,
  claim: string,
  claimedUntilMs: bigint,
  doneBy: string | null,
  result: string | null,
  answer: string | null,
  expiresAtMs: bigint,
];

/** All of it goes through the writer. */
export function openIdempotencyStore(writer: Writer): BatchedIdempotencyStore {
  return {
    claimAll: (claims) => writer.apply('claim', claims),
    applyAll: (changes) => writer.apply('request', changes),
  };
}

/** Of several tries, one gets the request. */
export function createClaimWrites(db: DatabaseSync): TransactionWrites<NewClaim, ClaimOutcome> {
  const find = prepareRows<HeldRow>(
    db,
    'select fingerprint, claim, claimed_until_ms, done_by, result, answer, expires_at_ms from idempotent_request where digest = ?',
  );
  const begin = prepare(
    db,
    'insert or replace into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms) values (?, ?, ?, ?, ?)',
  );
  const resume = prepare(db, 'update idempotent_request set claim = ?, claimed_until_ms = ? where digest = ?');

  return {
    apply(claim) {
      const { digest, fingerprint, token, claimedUntilMs, expiresAtMs } = claim;
      const [row] = find(digest);
      const outcome = decideClaim(row === undefined ? undefined : toHeld(row), claim);
      if (outcome.kind === 'begun') begin.run(digest, fingerprint, token, claimedUntilMs, expiresAtMs);
      if (outcome.kind === 'resumed') resume.run(token, claimedUntilMs, digest);
      return outcome;
    },
  };
}

/** What becomes of requests that somebody has in hand. */
export function createRequestWrites(db: DatabaseSync): TransactionWrites<RequestChange, number> {
  const ofToken = 'where digest = ? and claim = ?';
  const renew = prepare(db, `update idempotent_request set claimed_until_ms = ? ${ofToken}`);
  const record = prepare(
    db,
    `update idempotent_request set answer = ?, done_by = coalesce(done_by, claim), result = null, claimed_until_ms = 0 ${ofToken}`,
  );
  const remove = prepare(db, `delete from idempotent_request ${ofToken} and done_by is null`);
  const forget = prepare(
    db,
    `delete from idempotent_request where digest in
       (select digest from idempotent_request where expires_at_ms <= ? order by expires_at_ms limit ?)`,
  );

  return {
    apply(change) {
      switch (change.kind) {
        case 'renew':
          renew.run(change.claimedUntilMs, change.digest, change.token);
          break;
        case 'record':
          record.run(change.answer, change.digest, change.token);
          break;
        case 'release':
          remove.run(change.digest, change.token);
          renew.run(0, change.digest, change.token);
          break;
        case 'forget':
          return Number(forget.run(change.nowMs, change.limit).changes);
      }
      return 0;
    },
  };
}

/** What the last server of the folder had in hand, nobody has any more. */
export function endClaims(db: DatabaseSync): void {
  db.exec('update idempotent_request set claimed_until_ms = 0 where claimed_until_ms > 0');
}

function toHeld([fingerprint, claim, claimedUntilMs, doneBy, result, answer, expiresAtMs]: HeldRow): HeldRequest {
  const times = { claimedUntilMs: Number(claimedUntilMs), expiresAtMs: Number(expiresAtMs) };
  return { fingerprint, claim, doneBy, result, answer, ...times };
}
