import { MAIL_KINDS } from '../../src/domain/mail/mail.ts';

interface Exemption {
  /** How the only statement begins that has it. */
  start: string;
  walks: readonly string[];
  because: string;
}

const SORT = 'USE TEMP B-TREE FOR ORDER BY';
const FIRST_ROW = 'it reads one row';
const OF_ACCOUNT = 'an account has few, found by its index';
const HOURLY = 'it runs once an hour';
const ERASURE = 'it runs when a person or an account is erased, and the queue is short';

/** Of the keys of persons. */
const INDEXES_OF_KEYS: Readonly<Record<string, string>> = {
  enquiry: 'enquiry_email',
  confirmed_email: 'confirmed_email_by_key',
  saved_search: 'saved_search_of_address',
};

/** The statements that may scan a table, or sort. */
export const EXEMPTIONS: readonly Exemption[] = [
  {
    start: "select count(*) from (select 1 from enquiry where state = 'new'",
    walks: ['SCAN enquiry USING COVERING INDEX enquiry_new', 'SCAN counted'],
    because: 'the index has only new enquiries, of which it counts few',
  },
  {
    start: 'delete from certificate where',
    walks: ['SCAN certificate'],
    because: 'a certificate is obtained every two months',
  },
  {
    start: 'delete from certificate_challenge where expires_at_ms',
    walks: ['SCAN certificate_challenge'],
    because: 'a certificate is obtained every two months',
  },
  { start: 'select 1 from pet_version limit 1', walks: ['SCAN pet_version'], because: FIRST_ROW },
  { start: 'select 1 from used_account_id limit 1', walks: ['SCAN used_account_id'], because: FIRST_ROW },
  {
    start: 'select version, pet_id, changed_at_ms from pet_version order by version desc limit 1',
    walks: ['SCAN pet_version'],
    because: FIRST_ROW,
  },
  { start: 'select count(*) from pet', walks: ['SCAN pet'], because: 'it counts the pets before all are read' },
  {
    start: "select 1 from account where role = 'admin' and",
    walks: ['SCAN account USING INDEX account_admin'],
    because: 'the index has only administrators',
  },
  {
    start: 'select account.id, confirmed_email.email from account join',
    walks: ['SCAN account USING INDEX account_admin'],
    because: 'the index has only administrators',
  },
  {
    start: 'select digest from photo where doomed = 0 order by digest limit',
    walks: ['SCAN photo'],
    because: HOURLY,
  },
  {
    start: 'update photo set claimed_until_ms = ? where digest in (select digest from photo where doomed = 1 and',
    walks: ['SCAN photo USING COVERING INDEX photo_doomed'],
    because: HOURLY,
  },
  {
    start: 'with oldest as materialized (select version, changed_at_ms from account_change order by version limit ?2)',
    walks: ['SCAN account_change', 'SCAN oldest'],
    because: HOURLY,
  },
  {
    start: 'with oldest as materialized (select id, at_ms from audit order by id limit ?2)',
    walks: ['SCAN audit', 'SCAN oldest'],
    because: HOURLY,
  },
  {
    start:
      'select api_key.id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms from api_key where account_id =',
    walks: [SORT],
    because: OF_ACCOUNT,
  },
  {
    start:
      'select digest, id, account_id, started_at_ms, last_used_at_ms, expires_at_ms, address, user_agent, factors,',
    walks: [SORT],
    because: OF_ACCOUNT,
  },
  {
    start: 'delete from session where digest in (select digest from session where account_id = ?1 order by',
    walks: [SORT],
    because: OF_ACCOUNT,
  },
  {
    start: 'select passkey.id, account_id, credential, user_handle, public_key, counter, transports, is_synced, name,',
    walks: [SORT],
    because: OF_ACCOUNT,
  },
  {
    start:
      'update mail set attempts = attempts + 1, next_at_ms = ?2, claimed_until_ms = ?2 where id in (select id from (select * from (',
    walks: [...Object.keys(MAIL_KINDS).map(() => 'SCAN of_kind'), 'SCAN due', SORT],
    because: 'it reads an index of each kind with a limit',
  },
  ...Object.entries(INDEXES_OF_KEYS).map(([table, index]) => ({
    start: `select distinct email_key from ${table} where length(email_key)`,
    walks: [`SCAN ${table} USING COVERING INDEX ${index}`],
    because: 'it runs once when a service starts, and that of searches when a person is erased',
  })),
  {
    start: 'select distinct recipient from mail',
    walks: ['SCAN mail USING COVERING INDEX mail_to_recipient'],
    because: ERASURE,
  },
  { start: 'delete from mail where account_id', walks: ['SCAN mail'], because: ERASURE },
];
