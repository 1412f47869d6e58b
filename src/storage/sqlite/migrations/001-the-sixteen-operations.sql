-- Pets as the JSON text that the wire carries, and beside it what queries need.
create table pet (
  id integer primary key,
  version integer not null,
  status text,
  text text not null
) strict;

create index pet_by_status on pet (status, id) where status is not null;

-- No reference to pet, for it would want an index by pet, another write for every tag: the store takes the names from the pet's text.
create table pet_tag (
  name text not null,
  pet_id integer not null,
  primary key (name, pet_id)
) strict, without rowid;

-- Every version that a pet ever had, numbered in the order of the commits. A removal is a version without a text. The versions of one pet are a
-- chain from the newest, which pet and removed_pet name, to the oldest.
create table pet_version (
  version integer primary key,
  pet_id integer not null,
  previous integer,
  action text not null,
  changed_by integer,
  changed_at_ms integer not null,
  text text
) strict;

-- The ids of pets that are no more, so that none is assigned again.
create table removed_pet (
  id integer primary key,
  version integer not null
) strict;

-- A picture is unused from the moment when the last pet lets go of it; doomed while its files are being removed.
create table photo (
  digest text primary key,
  media_type text not null,
  byte_length integer not null,
  width integer not null,
  height integer not null,
  unused_since_ms integer,
  doomed integer not null default 0
) strict, without rowid;

create index photo_unused on photo (unused_since_ms) where unused_since_ms is not null;

-- No reference to photo: a pet may name a picture a moment before its entry is there, or after.
create table pet_photo (
  digest text not null,
  pet_id integer not null references pet (id) on delete cascade,
  primary key (digest, pet_id)
) strict, without rowid;

create index pet_photo_by_pet on pet_photo (pet_id);

create table account (
  id integer primary key,
  username text not null,
  username_key text not null unique,
  first_name text,
  last_name text,
  email text,
  phone text,
  user_status integer,
  role text not null,
  password_hash text
) strict;

create table session (
  digest text primary key,
  account_id integer not null references account (id) on delete cascade,
  started_at_ms integer not null,
  last_used_at_ms integer not null,
  expires_at_ms integer not null
) strict, without rowid;

create index session_by_account on session (account_id);

-- The next id to try when the service assigns one. Account ids that were in use are remembered, so that none is used twice.
create table next_id (
  kind text primary key,
  id integer not null
) strict, without rowid;

insert into next_id (kind, id) values ('pet', 1), ('account', 1);

create table used_account_id (
  id integer primary key
) strict;
