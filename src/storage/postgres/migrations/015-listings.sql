-- Works with programs since schema 14.
-- Sites that list the pets of this installation. `changes` counts what changes its files besides the pets.
-- `key_digest` is that of the key of the feed. The files that were sent
-- last have the digest `sent_digest`, and until `claimed_until_ms` one process sends them.
create table listing (
  site text primary key,
  is_on int8 not null default 0,
  changes int8 not null default 0,
  key_digest text,
  key_created_at_ms int8,
  sent_at_ms int8,
  sent_pets int8 not null default 0,
  sent_digest text,
  attempts int8 not null default 0,
  next_at_ms int8 not null default 0,
  error text,
  failed_at_ms int8,
  claimed_until_ms int8 not null default 0
);

-- Pets that a site does not get.
create table unlisted_pet (
  site text not null,
  pet_id int8 not null,
  primary key (site, pet_id)
);
