import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import type { Stamp } from '../../../domain/audit.ts';
import { personKey } from '../../../domain/mail/mail-address.ts';
import type { AccountAlert, MailKind, NewMail } from '../../../domain/mail/mail.ts';
import { statement } from '../statements.ts';
import { ask, send, type Steps } from '../steps.ts';

const HOUR_MS = 3_600_000;

/** For one account: a stolen session must not be able to flood the mailbox of the owner. */
const ALERTS_PER_HOUR = 20;

const insert = statement(
  `insert into mail (id, kind, account_id, recipient, details, created_at_ms, next_at_ms)
   values ($1, $2, $3, $4, $5, $6, $6)`,
);
const countAlert = statement(
  `insert into request_lease (key, hour, spent) select $1::text, $2::int8, 1 from confirmed_email where account_id = $3
   on conflict (key, hour) do update set spent = request_lease.spent + 1`,
);
const insertAlert = statement(
  `insert into mail (id, kind, account_id, recipient, details, created_at_ms, next_at_ms)
   select $1::text, 'alert', account_id, email, $3::text, $4::int8, $4::int8 from confirmed_email where account_id = $2
     and (select spent from request_lease where key = $5 and hour = $6) <= ${ALERTS_PER_HOUR}`,
);

const administrators = statement(
  `select account.id, confirmed_email.email from account join confirmed_email on account_id = account.id
   where role = 'admin' and user_status is distinct from ${USER_STATUS_CLOSED} order by account.id`,
);

/** Queues a message, in the transaction of the change that causes it. */
export function* queueMail(
  { kind, accountId, recipient, details }: NewMail,
  atMs: number,
  id: string = crypto.randomUUID(),
): Steps<void> {
  yield* send(insert, id, kind, accountId, recipient, JSON.stringify(details), atMs);
}

/** Queues a message for each administrator with a confirmed address. */
export function* queueMailToAdministrators(
  message: Omit<NewMail, 'accountId' | 'recipient'>,
  atMs: number,
): Steps<void> {
  for (const [accountId, recipient] of yield* ask<[id: bigint, email: string]>(administrators))
    yield* queueMail({ ...message, accountId, recipient }, atMs);
}

/** Tells the owner of an account what happened to it, if the owner has confirmed an address. */
export function* queueAlert(
  accountId: bigint,
  alert: AccountAlert,
  { atMs, address }: Pick<Stamp, 'atMs' | 'address'>,
  more: Readonly<Record<string, string>> = {},
): Steps<void> {
  const details = { alert, atMs: atMs.toString(), ...(address !== null && { address }), ...more };
  const counter = [`alerts of account ${accountId}`, Math.floor(atMs / HOUR_MS)] as const;
  yield* send(countAlert, ...counter, accountId);
  yield* send(insertAlert, crypto.randomUUID(), accountId, JSON.stringify(details), atMs, ...counter);
}

const recipients = statement('select distinct recipient from mail');
const deleteMail = statement(
  (sql) => `delete from mail where ${sql.isOneOf('kind', '$1', 'text')} and ${sql.isOneOf('recipient', '$2', 'text')}`,
);

/** Deletes messages to a person, however the address was typed: those that wait, and those that could not be sent. */
export function* deleteMailTo(email: string, kinds: readonly MailKind[]): Steps<void> {
  const all = yield* ask<[recipient: string]>(recipients);
  const key = personKey(email);
  const own = all.map(([recipient]) => recipient).filter((recipient) => personKey(recipient) === key);
  if (own.length > 0) yield* send(deleteMail, kinds, own);
}
