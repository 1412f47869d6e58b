import {
  CERTIFICATE_REPORTED_AFTER_MS,
  NO_CERTIFICATE,
  type Certificate,
  type CertificateChange,
  type CertificateState,
  type CertificateStore,
} from '../../../domain/https/ports.ts';
import { queueMailToAdministrators } from '../mail/mail-rows.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import { ask, send, type Reads, type StoreDeps, type Steps } from '../steps.ts';

type Change<K extends CertificateChange['kind']> = Extract<CertificateChange, { kind: K }>;

type Row = Omit<CertificateState, 'certificate'> & { [Field in keyof Certificate]: Certificate[Field] | undefined };

const ROW = rowOf<Row>({
  accountKey: 'text?',
  privateKey: 'text?',
  chain: 'text?',
  notBeforeMs: 'number?',
  notAfterMs: 'number?',
  claimedUntilMs: 'number',
  revision: 'number',
  attempts: 'number',
  failingSinceMs: 'number?',
  failedAtMs: 'number?',
  error: 'text?',
});

const find = statement(`select ${ROW.columns} from certificate where order_key = $1`);
const findChallenge = statement('select answer from certificate_challenge where token = $1');
const create = statement('insert into certificate (order_key) values ($1) on conflict (order_key) do nothing');
const claim = statement(
  `update certificate set claimed_until_ms = $3, account_key = coalesce(account_key, $4), revision = revision + 1
   where order_key = $1 and revision = $2 returning order_key`,
);
const recordObtained = statement(
  `update certificate set private_key = $3, chain = $4, not_before_ms = $5, not_after_ms = $6, claimed_until_ms = 0,
     revision = revision + 1, attempts = 0, failing_since_ms = null, failed_at_ms = null, error = null,
     reported_at_ms = null
   where order_key = $1 and claimed_until_ms = $2 returning order_key`,
);
const deleteExpired = statement('delete from certificate where order_key <> $1 and not_after_ms < $2');
const recordFailure = statement(
  `update certificate set claimed_until_ms = 0, revision = revision + 1, attempts = attempts + 1, failed_at_ms = $3,
     error = $4, failing_since_ms = coalesce(failing_since_ms, $3)
   where order_key = $1 and claimed_until_ms = $2 returning order_key`,
);
const report = statement(
  `update certificate set reported_at_ms = $2
   where order_key = $1 and reported_at_ms is null and failing_since_ms <= $3 returning failing_since_ms, not_after_ms`,
);
const putChallenge = statement(
  `insert into certificate_challenge (token, answer, expires_at_ms) values ($1, $2, $3)
   on conflict (token) do update set answer = excluded.answer, expires_at_ms = excluded.expires_at_ms`,
);
const deleteChallenge = statement('delete from certificate_challenge where token = $1');
const deleteChallenges = statement('delete from certificate_challenge where expires_at_ms < $1');

export class SqlCertificateStore implements CertificateStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<CertificateChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async find(order: string): Promise<CertificateState> {
    const [row] = await this.#reads.ask(find, order);
    return row === undefined ? NO_CERTIFICATE : toState(row);
  }

  async findChallenge(token: string): Promise<string | undefined> {
    return (await this.#reads.ask<[answer: string]>(findChallenge, token))[0]?.[0];
  }

  apply(change: CertificateChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyCertificateChange(change: CertificateChange): Steps<number> {
  switch (change.kind) {
    case 'claim': {
      const { order, revision, untilMs, accountKey } = change;
      yield* send(create, order);
      return (yield* ask(claim, order, revision, untilMs, accountKey)).length;
    }
    case 'obtained': {
      const { order, untilMs, atMs, certificate } = change;
      const { privateKey, chain, notBeforeMs, notAfterMs } = certificate;
      yield* send(deleteExpired, order, atMs);
      yield* send(deleteChallenges, atMs);
      return (yield* ask(recordObtained, order, untilMs, privateKey, chain, notBeforeMs, notAfterMs)).length;
    }
    case 'challenge':
      yield* send(putChallenge, change.token, change.answer, change.expiresAtMs);
      return 1;
    case 'delete-challenge':
      yield* send(deleteChallenge, change.token);
      return 1;
    case 'failed':
      break;
  }
  return yield* recordFailed(change);
}

function* recordFailed({ order, untilMs, atMs, error }: Change<'failed'>): Steps<number> {
  const rows = yield* ask(recordFailure, order, untilMs, atMs, error);
  if (rows.length === 0) return 0;
  const [reported] = yield* ask<[sinceMs: bigint | number, notAfterMs: bigint | number | null]>(
    report,
    order,
    atMs,
    atMs - CERTIFICATE_REPORTED_AFTER_MS,
  );
  if (reported === undefined) return 1;
  const [sinceMs, notAfterMs] = reported;
  const details = { error, atMs: String(sinceMs), ...(notAfterMs !== null && { notAfterMs: String(notAfterMs) }) };
  yield* queueMailToAdministrators({ kind: 'certificate-failed', details }, atMs);
  return 1;
}

function toState(row: readonly unknown[]): CertificateState {
  const { privateKey, chain, notBeforeMs, notAfterMs, ...state } = ROW.read(row);
  if (privateKey === undefined || chain === undefined || notBeforeMs === undefined || notAfterMs === undefined)
    return { ...state, certificate: undefined };
  return { ...state, certificate: { privateKey, chain, notBeforeMs, notAfterMs } };
}
