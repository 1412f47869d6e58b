-- Sites that list the pets of this installation. `changes` counts what changes its files besides the pets.
-- `key_digest` is that of the key of the feed. The files that were sent
-- last have the digest `sent_digest`, and until `claimed_until_ms` one process sends them.
create table listing (
  site text primary key,
  is_on integer not null default 0,
  changes integer not null default 0,
  key_digest text,
  key_created_at_ms integer,
  sent_at_ms integer,
  sent_pets integer not null default 0,
  sent_digest text,
  attempts integer not null default 0,
  next_at_ms integer not null default 0,
  error text,
  failed_at_ms integer,
  claimed_until_ms integer not null default 0
) strict, without rowid;

-- Pets that a site does not get.
create table unlisted_pet (
  site text not null,
  pet_id integer not null,
  primary key (site, pet_id)
) strict, without rowid;
