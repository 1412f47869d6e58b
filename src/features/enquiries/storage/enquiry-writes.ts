import { done, type AuditAction, type Stamp } from '../../../domain/audit.ts';
import {
  acknowledgementId,
  answerId,
  ENQUIRY_LIMITS,
  enquiryNotFound,
  noticeId,
  type EnquiryState,
} from '../domain/enquiry.ts';
import type { EnquiryChange, EnquiryMessages } from '../domain/ports.ts';
import { personKey } from '../../../domain/mail/mail-address.ts';
import { Failure } from '../../../domain/failure.ts';
import { requirePrecondition } from '../../../domain/precondition.ts';
import { requireCredential } from '../../../storage/rows/credential-check.ts';
import { spendAll, takeRoom } from '../../../storage/rows/accounts/limit-store.ts';
import { queueMail } from '../../../storage/rows/mail/mail-rows.ts';
import { statement } from '../../../storage/rows/statements.ts';
import { ask, send, type CommonTransaction, type Steps } from '../../../storage/rows/steps.ts';
import { searchedText } from './enquiry-rows.ts';

type Change<K extends EnquiryChange['kind']> = Extract<EnquiryChange, { kind: K }>;

const lastId = statement('select max(id) from enquiry');
const isSent = statement('select 1 from enquiry where form_id = $1');
const insert = statement(
  `insert into enquiry (id, pet_id, pet_name, name, email, email_key, phone, message, answers, language, search_key, form_id,
     created_at_ms, changed_at_ms)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
);
const findCurrent = statement('select version, email, language from enquiry where id = $1');
const update = statement(
  `update enquiry set version = version + 1, changed_at_ms = $2, state = coalesce($3::text, state),
     assignee_id = case when $4::int8 = 1 then $5::int8 else assignee_id end where id = $1`,
);
const lastEntry = statement('select max(number) from enquiry_entry where enquiry_id = $1');
const insertEntry = statement(
  `insert into enquiry_entry (enquiry_id, number, kind, author_id, author_name, at_ms, text)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const idsOf = statement('select id from enquiry where email_key = $1');
const answersOf = statement(
  ({ isOneOf }) =>
    `select enquiry_id, number from enquiry_entry where ${isOneOf('enquiry_id', '$1', 'int8')} and kind = 'answer'`,
);
const deleteMail = statement(({ isOneOf }) => `delete from mail where ${isOneOf('id', '$1', 'text')}`);
const deleteEnquiries = statement(({ isOneOf }) => `delete from enquiry where ${isOneOf('id', '$1', 'int8')}`);
const oldest = statement('select id from enquiry where created_at_ms <= $1 order by created_at_ms limit $2');

export function* applyEnquiryChange(change: EnquiryChange, transaction: CommonTransaction): Steps<number> {
  if ('stamp' in change) yield* requireCredential(change.stamp);
  switch (change.kind) {
    case 'add':
      return yield* add(change);
    case 'update':
      return yield* updateOne(change, transaction);
    case 'note':
      yield* addEntry(change);
      report(transaction, change.stamp, 'enquiry.noted', change.id);
      return 1;
    case 'answer':
      return yield* answer(change, transaction);
    case 'delete':
      yield* requireCurrent(change);
      yield* remove([change.id]);
      report(transaction, change.stamp, 'enquiry.deleted', change.id);
      return 1;
    case 'erase':
      return yield* erase(change, transaction);
    case 'forget':
      break;
  }
  const ids = (yield* ask<[id: bigint]>(oldest, change.beforeMs, change.limit)).map(([id]) => id);
  return yield* remove(ids);
}

function* add({ enquiry, quotas, messages, stamp }: Change<'add'>): Steps<number> {
  const { petId, petName, name, email, phone, message, answers, language, formId } = enquiry;
  if ((yield* ask(isSent, formId)).length > 0) throw sentBefore();
  yield* spendAll(quotas, stamp.atMs);
  const [last] = yield* ask<[id: bigint | null]>(lastId);
  const id = nextId(last?.[0] ?? 0n, stamp.atMs);
  const searched = searchedText(enquiry);
  const texts = [name, email, personKey(email), phone ?? null, message, JSON.stringify(answers), language, searched];
  yield* send(insert, id, petId, petName, ...texts, formId, stamp.atMs);
  yield* queueMessages(id, enquiry, messages, stamp.atMs);
  return 1;
}

/** The time, so that the id of a deleted enquiry is never used again. */
function nextId(last: bigint, atMs: number): bigint {
  const now = BigInt(atMs);
  return now > last ? now : last + 1n;
}

function* queueMessages(
  id: bigint,
  { email, language }: Change<'add'>['enquiry'],
  { notice, acknowledgement }: EnquiryMessages,
  atMs: number,
): Steps<void> {
  const details = { enquiryId: id.toString() };
  const common = { accountId: null, details } as const;
  if (notice !== undefined && (yield* takeRoom([notice.quota], atMs))) {
    const mail = { ...common, details: { ...details, language: notice.language }, recipient: notice.recipient };
    yield* queueMail({ kind: 'enquiry', ...mail }, atMs, noticeId(id));
  }
  if (acknowledgement !== undefined && (yield* takeRoom([acknowledgement.quota], atMs))) {
    const mail = { ...common, details: { ...details, language }, recipient: email };
    yield* queueMail({ kind: 'enquiry-received', ...mail }, atMs, acknowledgementId(id));
  }
}

function* updateOne(change: Change<'update'>, transaction: CommonTransaction): Steps<number> {
  const { id, state, assigneeId, stamp } = change;
  yield* requireCurrent(change);
  yield* touch(change, state, assigneeId);
  report(transaction, stamp, 'enquiry.changed', id, {
    ...(state !== undefined && { state }),
    ...(assigneeId !== undefined && { assigned: assigneeId === null ? 'no' : 'yes' }),
  });
  return 1;
}

function* answer(change: Change<'answer'>, transaction: CommonTransaction): Steps<number> {
  const { id, stamp } = change;
  const { number, email, language } = yield* addEntry(change, 'answered');
  const details = { enquiryId: id.toString(), entry: number.toString(), language };
  const mail = { kind: 'enquiry-answer', accountId: null, recipient: email, details } as const;
  yield* queueMail(mail, stamp.atMs, answerId(id, number));
  report(transaction, stamp, 'enquiry.answered', id);
  return 1;
}

function* addEntry(change: Change<'note' | 'answer'>, state?: EnquiryState) {
  const { kind, id, text, stamp } = change;
  const { email, language } = yield* requireCurrent(change);
  const [last] = yield* ask<[number: bigint | null]>(lastEntry, id);
  const number = Number(last?.[0] ?? 0) + 1;
  if (number > ENQUIRY_LIMITS.entries) throw tooManyEntries();
  yield* touch(change, state);
  yield* send(insertEntry, id, number, kind, stamp.actorId, stamp.actorName, stamp.atMs, text);
  return { number, email, language };
}

function touch({ id, stamp }: { id: bigint; stamp: Stamp }, state?: EnquiryState, assigneeId?: bigint | null) {
  return send(update, id, stamp.atMs, state ?? null, assigneeId === undefined ? 0 : 1, assigneeId ?? null);
}

/** @throws Failure `not-found`, `precondition-failed` */
function* requireCurrent({ id, precondition }: Pick<Change<'delete'>, 'id' | 'precondition'>) {
  const [row] = yield* ask<[version: bigint, email: string, language: string]>(findCurrent, id);
  if (row === undefined) throw enquiryNotFound();
  const [version, email, language] = row;
  requirePrecondition(precondition, version);
  return { email, language };
}

function* erase({ email, stamp }: Change<'erase'>, transaction: CommonTransaction): Steps<number> {
  const ids = (yield* ask<[id: bigint]>(idsOf, personKey(email))).map(([id]) => id);
  const erased = yield* remove(ids);
  transaction.audit(done(stamp, 'enquiry.erased', null, { enquiries: erased.toString() }));
  return erased;
}

/** Deletes enquiries with their entries, and the messages that wait to be sent. */
function* remove(ids: readonly bigint[]): Steps<number> {
  if (ids.length === 0) return 0;
  const answers = yield* ask<[id: bigint, number: bigint]>(answersOf, ids);
  const messages = [
    ...ids.flatMap((id) => [noticeId(id), acknowledgementId(id)]),
    ...answers.map(([id, number]) => answerId(id, Number(number))),
  ];
  yield* send(deleteMail, messages);
  yield* send(deleteEnquiries, ids);
  return ids.length;
}

function report(
  { audit }: CommonTransaction,
  stamp: Stamp,
  action: AuditAction,
  id: bigint,
  details: Readonly<Record<string, string>> | null = null,
): void {
  audit(done(stamp, action, { kind: 'enquiry', id: id.toString(), name: null }, details));
}

function sentBefore(): Failure {
  return new Failure('conflict', 'This form was sent before. Load it again to write another enquiry.');
}

function tooManyEntries(): Failure {
  return new Failure('conflict', `The enquiry already has ${ENQUIRY_LIMITS.entries} notes and answers.`);
}
