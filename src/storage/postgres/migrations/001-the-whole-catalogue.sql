-- One row, which every transaction that changes something locks first: so changes have an order, which their numbers tell, and ids have no gaps.
create table change_order (
  only_row int4 primary key,
  next_pet_id int8 not null,
  next_account_id int8 not null,
  last_version int8 not null,
  last_audit_id int8 not null
);

insert into change_order (only_row, next_pet_id, next_account_id, last_version, last_audit_id) values (1, 1, 1, 0, 0);

-- Pets as the JSON text that the wire carries, and beside it what queries need.
create table pet (
  id int8 primary key,
  version int8 not null,
  status text,
  text text not null
);

create index pet_by_status on pet (status, id);

-- What belongs to a pet has the pet's id in its key, and no reference to it: so it can lie beside it wherever pets are spread over servers.
create table pet_tag (
  name text not null,
  pet_id int8 not null,
  primary key (name, pet_id)
);

-- Every version that a pet ever had, numbered in the order of the commits. A removal is a version without a text.
create table pet_version (
  pet_id int8 not null,
  version int8 not null,
  previous int8,
  action text not null,
  changed_by int8,
  changed_at_ms int8 not null,
  text text,
  primary key (pet_id, version)
);

-- The ids of pets that are no more, so that none is assigned again.
create table removed_pet (
  id int8 primary key,
  version int8 not null
);

-- A picture is unused from the moment when the last pet lets go of it; doomed while its files are being removed, by the node that has claimed it.
create table photo (
  digest text primary key,
  media_type text not null,
  byte_length int8 not null,
  width int8 not null,
  height int8 not null,
  unused_since_ms int8,
  doomed int8 not null default 0,
  claimed_until_ms int8
);

create index photo_unused on photo (unused_since_ms);
create index photo_doomed on photo (claimed_until_ms) where doomed = 1;

create table pet_photo (
  digest text not null,
  pet_id int8 not null,
  primary key (digest, pet_id)
);

-- The search keys are the names and addresses as they are searched: without regard to case.
create table account (
  id int8 primary key,
  username text not null,
  username_key text not null unique,
  first_name text,
  last_name text,
  email text,
  phone text,
  user_status int8,
  role text not null,
  password_hash text,
  search_keys text[] not null
);

create index account_by_role on account (role, id);

-- Account ids that were in use are remembered, so that none is used twice.
create table used_account_id (
  id int8 primary key
);

-- The last version of a pet that a session wrote, and below a key: what is read for it from a standby must be no older.
create table session (
  digest text primary key,
  id text not null,
  account_id int8 not null references account (id) on delete cascade,
  started_at_ms int8 not null,
  last_used_at_ms int8 not null,
  expires_at_ms int8 not null,
  address text not null,
  user_agent text,
  last_version int8 not null default 0
);

create index session_by_account on session (account_id, id);
create index session_by_end on session (expires_at_ms);
create index session_by_last_use on session (last_used_at_ms);

create table api_key (
  digest text primary key,
  id text not null unique,
  account_id int8 not null references account (id) on delete cascade,
  name text not null,
  scopes text not null,
  created_at_ms int8 not null,
  expires_at_ms int8 not null,
  last_used_at_ms int8,
  last_version int8 not null default 0
);

create index api_key_by_account on api_key (account_id);
create index api_key_by_end on api_key (expires_at_ms);

-- One link an account at a time.
create table password_reset (
  account_id int8 primary key references account (id) on delete cascade,
  digest text not null unique,
  expires_at_ms int8 not null
);

-- Keys are digests: what somebody typed as a user name may be a password.
create table counted_failures (
  key text primary key,
  count int8 not null,
  first_at_ms int8 not null,
  last_at_ms int8 not null,
  forget_at_ms int8 not null
);

create index counted_failures_to_forget on counted_failures (forget_at_ms);

create table request_lease (
  key text not null,
  hour int8 not null,
  spent int8 not null,
  primary key (key, hour)
);

create index request_lease_by_hour on request_lease (hour);

-- Few indexes, for it is written with every change and read by people: it is read in windows of ids.
create table audit (
  id int8 primary key,
  at_ms int8 not null,
  via text not null,
  actor_id int8,
  actor_name text,
  credential_id text,
  address text,
  action text not null,
  subject_kind text,
  subject_id text,
  subject_name text,
  outcome text not null,
  details text
);

-- Entries are never changed, not even by a program that has our password: only whoever gives themselves the right first could.
revoke update on audit from current_user;
