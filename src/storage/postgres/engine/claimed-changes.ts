import { Failure, type Outcome } from '../../../domain/failure.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import { PET_OF_VERSION_COLUMNS, toPetOfVersion, type PetOfVersionRow } from '../../rows/pets.ts';
import {
  accountResult,
  accountsOfResult,
  claimOf,
  decideClaim,
  earlierResult,
  petOfResult,
  petResult,
  resultToStore,
  type ClaimOutcome,
  type NewClaim,
  type RequestClaim,
  type RequestRecord,
} from '../../../domain/request-claim.ts';
import { requestColumns, toRequestRecord, type RequestRow } from '../../rows/requests.ts';
import { SERVER_TIME } from '../../rows/idempotency/idempotency-store.ts';
import { statement, type Ask } from './statements.ts';
import type { StoreWrites, Transaction, WriteKind } from './transactions.ts';

type MarkRow = [digest: string, claim: string, doneBy: string | null, result: string | null];

const find = statement('select digest, claim, done_by, result from idempotent_request where digest = any($1::text[])');
const mark = statement(
  `update idempotent_request set done_by = claim, result = made.result from unnest($1::text[], $2::text[]) as made (digest, result)
   where idempotent_request.digest = made.digest`,
);
const textOfVersion = statement(`select ${PET_OF_VERSION_COLUMNS} from pet_version where pet_id = $1 and version = $2`);

/**
 * Applies a change of a request with an idempotency key only while the request holds its claim, and records it with the
 * request. Other changes are applied unchanged. Claims are ordered with the changes: the changes of an abandoned
 * attempt are complete before another attempt gets the claim.
 */
export function onlyOnce(kind: WriteKind, store: StoreWrites<unknown, unknown>): StoreWrites<unknown, unknown> {
  return {
    applyAll(changes, transaction) {
      return changes.some((change) => claimOf(change) !== undefined)
        ? applyClaimed(kind, changes, { store, transaction })
        : store.applyAll(changes, transaction);
    },
  };
}

async function applyClaimed(
  kind: WriteKind,
  changes: readonly unknown[],
  { store, transaction }: { store: StoreWrites<unknown, unknown>; transaction: Transaction },
): Promise<readonly Outcome<unknown>[]> {
  const { ask, later } = transaction;
  const claims = changes.map(claimOf);
  const marks = await readMarks(claims, ask);
  const decided = new Map<number, Outcome<unknown>>();
  for (const [index, claim] of claims.entries()) {
    if (claim === undefined) continue;
    const earlier = earlierOrFailure(marks, claim);
    if (earlier instanceof Failure) decided.set(index, earlier);
    else if (earlier !== undefined) decided.set(index, await again(kind, earlier, ask));
  }
  const toApply = changes.filter((_change, index) => !decided.has(index));
  const applied = toApply.length === 0 ? [] : await store.applyAll(toApply, transaction);
  let next = 0;
  const outcomes = changes.map((_change, index) => (decided.has(index) ? decided.get(index) : applied[next++]));

  const made = new Map<string, string | null>();
  for (const [index, claim] of claims.entries()) {
    const outcome = outcomes[index];
    const held = claim && marks.get(claim.digest);
    if (held === undefined || claim === undefined || decided.has(index) || outcome instanceof Error) continue;
    const result = resultToStore(held, claim, resultOf(kind, changes[index], outcome));
    made.set(claim.digest, made.has(claim.digest) ? null : result);
  }
  if (made.size > 0) later(ask(mark, [...made.keys()], [...made.values()]));
  return outcomes;
}

type Marks = ReadonlyMap<string, { claim: string; doneBy: string | null; result: string | null }>;

async function readMarks(claims: readonly (RequestClaim | undefined)[], ask: Ask): Promise<Marks> {
  const digests = new Set(claims.flatMap((claim) => claim?.digest ?? []));
  const rows = await ask<MarkRow>(find, [...digests]);
  return new Map(rows.map(([digest, claim, doneBy, result]) => [digest, { claim, doneBy, result }]));
}

function earlierOrFailure(marks: Marks, claim: RequestClaim): string | Failure | undefined {
  try {
    return earlierResult(marks.get(claim.digest), claim);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function resultOf(kind: WriteKind, change: unknown, result: unknown): string | null {
  if (kind === 'users') return accountResult(change as { kind: string }, result as readonly bigint[]);
  if (kind !== 'pets') return null;
  const { id, version } = result as StoredPet;
  return petResult(id, version);
}

async function again(kind: WriteKind, result: string, ask: Ask): Promise<unknown> {
  if (kind === 'users') return accountsOfResult(result);
  const [id, version] = petOfResult(result);
  const [row] = await ask<PetOfVersionRow>(textOfVersion, id, version);
  return toPetOfVersion(id, version, row);
}

const findClaims = statement(
  `select digest, ${requestColumns(SERVER_TIME)} from idempotent_request where digest = any($1::text[])`,
);
const beginClaims = statement(
  `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms)
   select digest, fingerprint, claim, ${SERVER_TIME} + claim_ms, expires_at_ms
   from unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[]) as begun (digest, fingerprint, claim, claim_ms, expires_at_ms)
   on conflict (digest) do update set fingerprint = excluded.fingerprint, claim = excluded.claim,
     claimed_until_ms = excluded.claimed_until_ms, expires_at_ms = excluded.expires_at_ms, done_by = null, result = null, answer = null`,
);
const resumeClaims = statement(
  `update idempotent_request set claim = taken.claim, claimed_until_ms = ${SERVER_TIME} + taken.claim_ms
   from unnest($1::text[], $2::text[], $3::int8[]) as taken (digest, claim, claim_ms) where idempotent_request.digest = taken.digest`,
);

/** Claims requests: of several concurrent attempts, one gets the request. */
export const claimWrites: StoreWrites<NewClaim, ClaimOutcome> = {
  async applyAll(claims, { ask, later }) {
    const rows = await ask<[digest: string, ...RequestRow]>(
      findClaims,
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
    beginClaims,
    claims.map(({ digest }) => digest),
    claims.map(({ fingerprint }) => fingerprint),
    claims.map(({ token }) => token),
    claims.map(({ claimMs }) => claimMs),
    claims.map(({ expiresAtMs }) => expiresAtMs),
  );
}

function writeResumed(claims: readonly NewClaim[], ask: Ask): Promise<unknown> {
  return ask(
    resumeClaims,
    claims.map(({ digest }) => digest),
    claims.map(({ token }) => token),
    claims.map(({ claimMs }) => claimMs),
  );
}
