import { Failure, type Outcome } from '../../../domain/failure.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import {
  accountResult,
  accountsOfResult,
  claimOf,
  earlierResult,
  petOfResult,
  petResult,
  resultToStore,
  type RequestClaim,
} from '../../../domain/request-claim.ts';
import { statement, type Ask } from './statements.ts';
import type { StoreWrites, Transaction, WriteKind } from './transactions.ts';

type MarkRow = [digest: string, claim: string, doneBy: string | null, result: string | null];

const find = statement('select digest, claim, done_by, result from idempotent_request where digest = any($1::text[])');
const mark = statement(
  `update idempotent_request set done_by = claim, result = made.result from unnest($1::text[], $2::text[]) as made (digest, result)
   where idempotent_request.digest = made.digest`,
);
const textOfVersion = statement('select text from pet_version where pet_id = $1 and version = $2');

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
  if (kind === 'user') return accountResult(change as { kind: string }, result as readonly bigint[]);
  if (kind !== 'pet') return null;
  const { id, version } = result as StoredPet;
  return petResult(id, version);
}

async function again(kind: WriteKind, result: string, ask: Ask): Promise<unknown> {
  if (kind === 'user') return accountsOfResult(result);
  const [id, version] = petOfResult(result);
  const [row] = await ask<[text: string]>(textOfVersion, id, version);
  return { id, version, text: row?.[0] ?? '' } satisfies StoredPet;
}
