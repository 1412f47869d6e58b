import {
  decideClaim,
  type ClaimOutcome,
  type RequestRecord,
  type IdempotencyStore,
  type NewClaim,
  type RequestChange,
} from '../../../domain/request-claim.ts';
import { requestColumns, toRequestRecord, type RequestRow } from '../../rows/requests.ts';
import { statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';

/**
 * The time of the statement, in milliseconds. The transaction may have begun seconds earlier, and waited for its lock.
 */
const NOW = '(extract(epoch from statement_timestamp()) * 1000)::int8';

const find = statement(`select digest, ${requestColumns(NOW)} from idempotent_request where digest = any($1::text[])`);
const begin = statement(
  `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms)
   select digest, fingerprint, claim, ${NOW} + claim_ms, expires_at_ms
   from unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[]) as begun (digest, fingerprint, claim, claim_ms, expires_at_ms)
   on conflict (digest) do update set fingerprint = excluded.fingerprint, claim = excluded.claim,
     claimed_until_ms = excluded.claimed_until_ms, expires_at_ms = excluded.expires_at_ms, done_by = null, result = null, answer = null`,
);
const resume = statement(
  `update idempotent_request set claim = taken.claim, claimed_until_ms = ${NOW} + taken.claim_ms
   from unnest($1::text[], $2::text[], $3::int8[]) as taken (digest, claim, claim_ms) where idempotent_request.digest = taken.digest`,
);
const renew = statement(
  `update idempotent_request set claimed_until_ms = ${NOW} + $3::int8 where digest = $1 and claim = $2`,
);
const endClaim = statement('update idempotent_request set claimed_until_ms = 0 where digest = $1 and claim = $2');
const record = statement(
  `update idempotent_request set answer = $3, done_by = coalesce(done_by, claim), result = null, claimed_until_ms = 0
   where digest = $1 and claim = $2`,
);
const deleteRequest = statement('delete from idempotent_request where digest = $1 and claim = $2 and done_by is null');
const forget = statement(
  `delete from idempotent_request where digest = any(array(
     select digest from idempotent_request where expires_at_ms <= $1 order by expires_at_ms limit $2)) returning digest`,
);

export class PostgresIdempotencyStore implements IdempotencyStore {
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
export const claimWrites: StoreWrites<NewClaim, ClaimOutcome> = {
  async applyAll(claims, { ask, later }) {
    const rows = await ask<[digest: string, ...RequestRow]>(
      find,
      claims.map(({ digest }) => digest),
    );
    const held = new Map<string, RequestRecord>(rows.map(([digest, ...row]) => [digest, toRequestRecord(row)]));
    const begun = new Map<string, NewClaim>();
    const resumed = new Map<string, NewClaim>();
    const outcomes = claims.map((claim) => {
      const { digest, fingerprint, token, claimMs, expiresAtMs } = claim;
      const before = held.get(digest);
      const outcome = decideClaim(before, claim);
      if (outcome.kind === 'begun') {
        begun.set(digest, claim);
        const nothing = { doneBy: null, result: null, response: null };
        held.set(digest, { fingerprint, claim: token, claimLeftMs: claimMs, ...nothing, expiresAtMs });
      } else if (outcome.kind === 'resumed' && before !== undefined) {
        resumed.set(digest, claim);
        held.set(digest, { ...before, claim: token, claimLeftMs: claimMs });
      }
      return outcome;
    });
    if (begun.size > 0) later(writeBegun([...begun.values()], ask));
    if (resumed.size > 0) later(writeResumed([...resumed.values()], ask));
    return outcomes;
  },
};

function writeBegun(claims: readonly NewClaim[], ask: Ask): Promise<unknown> {
  return ask(
    begin,
    claims.map(({ digest }) => digest),
    claims.map(({ fingerprint }) => fingerprint),
    claims.map(({ token }) => token),
    claims.map(({ claimMs }) => claimMs),
    claims.map(({ expiresAtMs }) => expiresAtMs),
  );
}

function writeResumed(claims: readonly NewClaim[], ask: Ask): Promise<unknown> {
  return ask(
    resume,
    claims.map(({ digest }) => digest),
    claims.map(({ token }) => token),
    claims.map(({ claimMs }) => claimMs),
  );
}

/** The changes of claimed requests. Statements without a result are not awaited before the commit. */
export const requestWrites: StoreWrites<RequestChange, number> = eachInTurn(async (change, { ask, later }) => {
  switch (change.kind) {
    case 'renew':
      later(ask(renew, change.digest, change.token, change.claimMs));
      break;
    case 'record':
      later(ask(record, change.digest, change.token, change.response));
      break;
    case 'release':
      later(ask(deleteRequest, change.digest, change.token));
      later(ask(endClaim, change.digest, change.token));
      break;
    case 'forget':
      return (await ask(forget, change.nowMs, change.limit)).length;
  }
  return 0;
});
