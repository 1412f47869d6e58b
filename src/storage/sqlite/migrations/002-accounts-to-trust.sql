-- Sessions that their owners can look at, and end by a public name.
alter table session add column id text not null default '';
alter table session add column address text not null default '';
alter table session add column user_agent text;
update session set id = lower(hex(randomblob(12)));

create table api_key (
  digest text primary key,
  id text not null unique,
  account_id integer not null references account (id) on delete cascade,
  name text not null,
  scopes text not null,
  created_at_ms integer not null,
  expires_at_ms integer not null,
  last_used_at_ms integer
) strict, without rowid;

create index api_key_by_account on api_key (account_id);

-- One link an account at a time.
create table password_reset (
  digest text primary key,
  account_id integer not null unique references account (id) on delete cascade,
  expires_at_ms integer not null
) strict, without rowid;

create index account_admin on account (id) where role = 'admin';

-- Keys are digests: what somebody typed as a user name may be a password.
create table counted_failures (
  key text primary key,
  count integer not null,
  first_at_ms integer not null,
  last_at_ms integer not null,
  forget_at_ms integer not null
) strict, without rowid;

create index counted_failures_to_forget on counted_failures (forget_at_ms);

create table request_lease (
  key text not null,
  hour integer not null,
  spent integer not null,
  primary key (key, hour)
) strict, without rowid;

-- Few indexes, for it is written with every change and read by people: it is read in windows of ids.
create table audit (
  id integer primary key autoincrement,
  at_ms integer not null,
  via text not null,
  actor_id integer,
  actor_name text,
  credential_id text,
  address text,
  action text not null,
  subject_kind text,
  subject_id text,
  subject_name text,
  outcome text not null,
  details text
) strict;

create trigger audit_is_never_changed before update on audit begin
  select raise(abort, 'entries of the audit trail are never changed');
end;
