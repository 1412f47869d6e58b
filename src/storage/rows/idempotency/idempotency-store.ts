import type { ClaimOutcome, IdempotencyStore, NewClaim, RequestChange } from '../../../domain/request-claim.ts';
import { forgetOldest, statement } from '../statements.ts';
import { ask, send, type Steps } from '../steps.ts';

/**
 * The time of the statement on PostgreSQL, in milliseconds. The transaction may have begun seconds earlier, and waited
 * for its lock.
 */
export const SERVER_TIME = '(extract(epoch from statement_timestamp()) * 1000)::int8';

const renew = statement(
  ({ either }) =>
    `update idempotent_request set claimed_until_ms = ${either(SERVER_TIME, '$4')} + $3::int8 where digest = $1 and claim = $2`,
);
const endClaim = statement('update idempotent_request set claimed_until_ms = 0 where digest = $1 and claim = $2');
const record = statement(
  `update idempotent_request set answer = $3, done_by = coalesce(done_by, claim), result = null, claimed_until_ms = 0
   where digest = $1 and claim = $2`,
);
const deleteRequest = statement('delete from idempotent_request where digest = $1 and claim = $2 and done_by is null');
const forget = forgetOldest('idempotent_request', 'digest', 'expires_at_ms');

/** The claims themselves are written by each engine: PostgreSQL reads and writes those of a transaction together. */
export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #claim;
  readonly #apply;

  constructor({
    claim,
    apply,
  }: {
    claim: (claim: NewClaim) => Promise<ClaimOutcome>;
    apply: (change: RequestChange) => Promise<number>;
  }) {
    this.#claim = claim;
    this.#apply = apply;
  }

  claim(claim: NewClaim): Promise<ClaimOutcome> {
    return this.#claim(claim);
  }

  apply(change: RequestChange): Promise<number> {
    return this.#apply(change);
  }
}

/** The changes of claimed requests. */
export function* applyRequestChange(change: RequestChange): Steps<number> {
  switch (change.kind) {
    case 'renew':
      yield* send(renew, change.digest, change.token, change.claimMs, change.nowMs);
      break;
    case 'record':
      yield* send(record, change.digest, change.token, change.response);
      break;
    case 'release':
      yield* send(deleteRequest, change.digest, change.token);
      yield* send(endClaim, change.digest, change.token);
      break;
    case 'forget':
      return (yield* ask(forget, change.nowMs, change.limit)).length;
  }
  return 0;
}
