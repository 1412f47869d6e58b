import type { DatabaseSync } from 'node:sqlite';
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
} from '../../../domain/request-claim.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import { PET_OF_VERSION_COLUMNS, toPetOfVersion, type PetOfVersionRow } from '../../rows/pets.ts';
import { requestColumns, toRequestRecord, type RequestRow } from '../../rows/requests.ts';
import { prepare, prepareRows } from './database.ts';
import type { TransactionWrites, WriteKind } from './writer.ts';

type MarkRow = [claim: string, doneBy: string | null, result: string | null];

/** Applies a change of any kind. */
export type Apply = (kind: WriteKind, change: unknown) => unknown;

/**
 * Applies a change of a request with an idempotency key only while the request holds its claim, and records it with the
 * request. Other changes are applied unchanged.
 *
 * @returns a function like `apply` that throws Failure `conflict` for a request that has lost its claim
 */
export function onlyOnce(db: DatabaseSync, apply: Apply): Apply {
  const find = prepareRows<MarkRow>(db, 'select claim, done_by, result from idempotent_request where digest = ?');
  const mark = prepare(db, 'update idempotent_request set done_by = claim, result = ? where digest = ?');
  const versionOf = prepareRows<PetOfVersionRow>(
    db,
    `select ${PET_OF_VERSION_COLUMNS} from pet_version where version = ?`,
  );

  function again(kind: WriteKind, result: string): unknown {
    if (kind === 'users') return accountsOfResult(result);
    const [id, version] = petOfResult(result);
    return toPetOfVersion(id, version, versionOf(version)[0]);
  }

  return (kind, change) => {
    const claim = claimOf(change);
    if (claim === undefined) return apply(kind, change);
    const [row] = find(claim.digest);
    const held = row && { claim: row[0], doneBy: row[1], result: row[2] };
    const earlier = earlierResult(held, claim);
    if (earlier !== undefined) return again(kind, earlier);
    const result = apply(kind, change);
    if (held !== undefined) mark.run(resultToStore(held, claim, resultOf(kind, change, result)), claim.digest);
    return result;
  };
}

function resultOf(kind: WriteKind, change: unknown, result: unknown): string | null {
  if (kind === 'users') return accountResult(change as { kind: string }, result as readonly bigint[]);
  if (kind !== 'pets') return null;
  const { id, version } = result as StoredPet;
  return petResult(id, version);
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

/** Releases the claims of the last server of the folder. */
export function endClaims(db: DatabaseSync): void {
  db.exec('update idempotent_request set claimed_until_ms = 0 where claimed_until_ms > 0');
}
