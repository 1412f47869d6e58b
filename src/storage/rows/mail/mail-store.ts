import { done } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import { MAIL_KINDS, MAIL_PRIORITIES, type StoredMail } from '../../../domain/mail/mail.ts';
import type { DeadMail, MailChange, MailQueueState, MailStore } from '../../../domain/mail/ports.ts';
import { rowOf } from '../row.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { requireCredential } from '../credential-check.ts';
import { queueMail } from './mail-rows.ts';

const MAIL_FIELDS = {
  id: 'text',
  kind: 'text',
  accountId: 'bigint',
  recipient: 'text',
  details: 'json',
  createdAtMs: 'number',
  attempts: 'number',
} as const;

const MAIL = rowOf<StoredMail>(MAIL_FIELDS);
const DEAD_MAIL = rowOf<DeadMail>({ ...MAIL_FIELDS, failedAtMs: ['number', 'next_at_ms'], lastError: 'text?' });

const KINDS = Object.entries(MAIL_KINDS);
const KNOWN = KINDS.map(([kind]) => `'${kind}'`).join(', ');

const STATE = rowOf<MailQueueState>({
  waiting: ['number', '(select count(*) from mail where dead = 0)'],
  unknown: ['number', `(select count(*) from mail where dead = 0 and kind not in (${KNOWN}))`],
  oldestAtMs: ['number?', '(select min(created_at_ms) from mail where dead = 0)'],
  dead: ['number', '(select count(*) from mail where dead = 1)'],
  // The message with the latest next attempt is the one with the most attempts.
  lastError: [
    'text?',
    `coalesce((select last_error from mail where dead = 0 order by next_at_ms desc limit 1),
      (select last_error from mail where dead = 1 order by next_at_ms desc limit 1))`,
  ],
});

const anyDue = statement(`select 1 from mail where kind in (${KNOWN}) and dead = 0 and next_at_ms <= $1 limit 1`);
// One search of the index for each kind: an attempt costs the same however many messages wait.
const claim = statement((sql) => {
  const ofKinds = KINDS.map(
    ([kind, priority]) =>
      `select * from (select id, ${MAIL_PRIORITIES.indexOf(priority)} as priority, next_at_ms from mail
       where kind = '${kind}' and dead = 0 and next_at_ms <= $1 order by next_at_ms limit $3) as of_kind`,
  );
  const due = `select id from (${ofKinds.join(' union all ')}) as due order by priority, next_at_ms limit $3`;
  return `update mail set attempts = attempts + 1, next_at_ms = $2, claimed_until_ms = $2 where ${sql.isAmong('id', due)} returning ${MAIL.columns}`;
});
const remove = statement('delete from mail where id = $1');
const fail = statement(
  'update mail set next_at_ms = $2, claimed_until_ms = 0, dead = $3, last_error = $4 where id = $1',
);
// Not those that another process sends at the moment.
const hasten = statement(
  'update mail set next_at_ms = $1 where dead = 0 and next_at_ms > $1 and claimed_until_ms <= $1',
);
const dead = statement(`select ${DEAD_MAIL.columns} from mail where dead = 1 order by next_at_ms desc limit $1`);
const retry = statement(
  `update mail set dead = 0, attempts = 0, created_at_ms = $2, next_at_ms = $2 where id = $1 and dead = 1 returning kind`,
);
const deleteDead = statement('delete from mail where id = $1 and dead = 1 returning kind');
const forget = statement((sql) => {
  const oldest = 'select id from mail where dead = 1 and next_at_ms <= $1 order by next_at_ms limit $2';
  return `delete from mail where ${sql.isAmong('id', oldest)} returning ${MAIL.columns}`;
});
const state = statement(`select ${STATE.columns}`);

export class SqlMailStore implements MailStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<MailChange, readonly StoredMail[]>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async hasDue(nowMs: number): Promise<boolean> {
    return (await this.#reads.ask(anyDue, nowMs)).length > 0;
  }

  async readState(): Promise<MailQueueState> {
    const [row = []] = await this.#reads.ask(state);
    return STATE.read(row);
  }

  async listDead(limit: number): Promise<readonly DeadMail[]> {
    return (await this.#reads.ask(dead, limit)).map(DEAD_MAIL.read);
  }

  apply(change: MailChange): Promise<readonly StoredMail[]> {
    return this.#apply(change);
  }
}

export function* applyMailChange(change: MailChange, transaction: CommonTransaction): Steps<readonly StoredMail[]> {
  switch (change.kind) {
    case 'queue':
      yield* queueMail(change.mail, change.stamp.atMs);
      break;
    case 'claim':
      return (yield* ask(claim, change.nowMs, change.untilMs, change.limit)).map(MAIL.read);
    case 'done':
      yield* send(remove, change.id);
      break;
    case 'failed':
      yield* send(fail, change.id, change.nextAtMs, change.isDead ? 1 : 0, change.error);
      break;
    case 'hasten':
      yield* send(hasten, change.nowMs);
      break;
    case 'retry-waiting':
      yield* requireCredential(change.stamp);
      yield* send(hasten, change.stamp.atMs);
      transaction.audit(done(change.stamp, 'mail.retried', null, null));
      break;
    case 'retry':
    case 'delete':
      yield* endDead(change, transaction);
      break;
    case 'forget':
      return (yield* ask(forget, change.beforeMs, change.limit)).map(MAIL.read);
  }
  return [];
}

/** The recipient is not in the audit log, which is kept longer. */
function* endDead(
  { kind, id, stamp }: Extract<MailChange, { kind: 'retry' | 'delete' }>,
  { audit }: CommonTransaction,
): Steps<void> {
  yield* requireCredential(stamp);
  const rows =
    kind === 'retry' ? yield* ask<[kind: string]>(retry, id, stamp.atMs) : yield* ask<[kind: string]>(deleteDead, id);
  const [row] = rows;
  if (row === undefined) throw new Failure('not-found', 'Message not found');
  audit(done(stamp, kind === 'retry' ? 'mail.retried' : 'mail.deleted', null, { kind: row[0] }));
}
