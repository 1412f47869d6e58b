import { USER_STATUS_CLOSED } from '../../../domain/accounts/user.ts';
import { accountSubject, done, type Stamp } from '../../../domain/audit.ts';
import { isMailAddress, personKey } from '../../../domain/mail/mail-address.ts';
import { confirmationNotFound } from '../../../domain/mail/mail.ts';
import type { AddressChange, AddressStore, MailedAccount, OfferedLink } from '../../../domain/mail/ports.ts';
import { queueAlert, queueMail } from '../mail/mail-rows.ts';
import { renewPersonKeys } from '../renew-person-keys.ts';
import { statement } from '../statements.ts';
import { ask, send, type CommonTransaction, type Reads, type StoreDeps, type Steps } from '../steps.ts';
import { addReset, forgetResets } from './account-rows.ts';

type MailedAccountRow = [
  id: bigint,
  username: string,
  email: string | null,
  userStatus: bigint | null,
  /** A number on SQLite. */
  hasPassword: boolean | bigint,
  confirmed: string | null,
  language: string | null,
];

const MAILED = `select account.id, username, account.email, user_status, password_hash is not null, confirmed_email.email, language
  from account left join confirmed_email on confirmed_email.account_id = account.id`;

const byId = statement(`${MAILED} where account.id = $1`);
const withAddress = statement(
  `${MAILED} where email_key = $1 and user_status is distinct from ${USER_STATUS_CLOSED} order by confirmed_email.account_id limit $2`,
);
const addConfirmation = statement(
  `insert into email_confirmation (account_id, digest, email, expires_at_ms) values ($1, $2, $3, $4)
   on conflict (account_id) do update set digest = excluded.digest, email = excluded.email, expires_at_ms = excluded.expires_at_ms`,
);
const findConfirmation = statement(
  'select account_id, email from email_confirmation where digest = $1 and expires_at_ms > $2',
);
const forgetConfirmation = statement('delete from email_confirmation where account_id = $1');
const forgetConfirmed = statement('delete from confirmed_email where account_id = $1');
const confirm = statement(
  `insert into confirmed_email (account_id, email, email_key, confirmed_at_ms, language) values ($1, $2, $3, $4, $5)
   on conflict (account_id) do update set email = excluded.email, email_key = excluded.email_key,
     confirmed_at_ms = excluded.confirmed_at_ms, language = excluded.language`,
);

export class SqlAddressStore implements AddressStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<AddressChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async find(accountId: bigint): Promise<MailedAccount | undefined> {
    return (await this.#reads.ask<MailedAccountRow>(byId, accountId)).map(toMailedAccount)[0];
  }

  async listConfirmed(email: string, limit: number): Promise<readonly MailedAccount[]> {
    return (await this.#reads.ask<MailedAccountRow>(withAddress, personKey(email), limit)).map(toMailedAccount);
  }

  apply(change: AddressChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyAddressChange(change: AddressChange, transaction: CommonTransaction): Steps<number> {
  if (change.kind === 'offer') return yield* offer(change.link, transaction);
  if (change.kind === 'renew-keys') return yield* renewPersonKeys();
  if (!(yield* confirmAddress(change.digest, change.language, change.stamp, transaction))) throw confirmationNotFound();
  return 1;
}

function* offer(link: OfferedLink, { audit }: CommonTransaction): Steps<number> {
  const { purpose, accountId, email, digest, expiresAtMs, stamp } = link;
  const account = yield* findMailed(accountId);
  if (account === undefined || !isWanted(link, account)) return 0;
  if (purpose !== 'reset') yield* send(addConfirmation, accountId, digest, email, expiresAtMs);
  if (purpose !== 'confirmation') yield* send(addReset, accountId, digest, expiresAtMs);
  if (purpose === 'reset') {
    const details = { expires: new Date(expiresAtMs).toISOString(), by: 'e-mail' };
    audit(done(stamp, 'account.reset-link-issued', accountSubject(accountId, account.username), details));
  }
  return 1;
}

function isWanted({ purpose, email }: OfferedLink, account: MailedAccount): boolean {
  const address = purpose === 'reset' ? account.confirmed?.email : account.email;
  if (account.isClosed || address === undefined || personKey(address) !== personKey(email)) return false;
  return purpose !== 'invitation' || !account.hasPassword;
}

/**
 * Confirms the address to which the link with this digest was sent.
 * @returns false for an unknown, used or expired link, or if the account has another address now
 */
export function* confirmAddress(
  digest: string,
  language: string | undefined,
  stamp: Stamp,
  { audit }: CommonTransaction,
): Steps<boolean> {
  const [found] = yield* ask<[accountId: bigint, email: string]>(findConfirmation, digest, stamp.atMs);
  if (found === undefined) return false;
  const [accountId, email] = found;
  const account = yield* findMailed(accountId);
  if (account?.email === undefined || account.isClosed || personKey(account.email) !== personKey(email)) return false;
  yield* send(forgetConfirmation, accountId);
  const { confirmed } = account;
  // A link for a new password that was sent to the former address must not work any more.
  if (confirmed !== undefined && personKey(confirmed.email) !== personKey(email)) yield* send(forgetResets, accountId);
  yield* send(confirm, accountId, email, personKey(email), stamp.atMs, language ?? null);
  audit(done(stamp, 'account.email-confirmed', accountSubject(accountId, account.username)));
  return true;
}

/** The profile of the account has another address now. */
export function* changeAddress(
  { id, email: before }: { id: bigint; email: string | undefined },
  email: string | undefined,
  confirmation: { language: string } | undefined,
  stamp: Stamp,
): Steps<void> {
  if ((before && personKey(before)) === (email && personKey(email))) return;
  yield* send(forgetConfirmation, id);
  const confirmed = (yield* findMailed(id))?.confirmed?.email;
  const isConfirmed = email !== undefined && confirmed !== undefined && personKey(confirmed) === personKey(email);
  if (isConfirmed) return;
  yield* queueAlert(id, 'email-changed', stamp, email === undefined ? {} : { email });
  if (email === undefined) {
    yield* send(forgetConfirmed, id);
    if (confirmed !== undefined) yield* send(forgetResets, id);
  } else if (confirmation !== undefined)
    yield* queueMail(
      { kind: 'email-confirmation', accountId: id, recipient: email, details: confirmation },
      stamp.atMs,
    );
}

function* findMailed(accountId: bigint): Steps<MailedAccount | undefined> {
  return (yield* ask<MailedAccountRow>(byId, accountId)).map(toMailedAccount)[0];
}

function toMailedAccount(row: MailedAccountRow): MailedAccount {
  const [id, username, email, userStatus, hasPassword, confirmed, language] = row;
  return {
    id,
    username,
    email: email ?? undefined,
    hasPassword: Boolean(hasPassword),
    isClosed: userStatus === BigInt(USER_STATUS_CLOSED),
    // Earlier versions took any text of a provider for an address.
    confirmed:
      confirmed === null || !isMailAddress(confirmed)
        ? undefined
        : { email: confirmed, language: language ?? undefined },
  };
}
