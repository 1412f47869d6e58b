-- What became of accounts, with numbers of the same row as the versions of pets: one order over all changes. Never a secret.
create table account_change (
  version int8 primary key,
  account_id int8 not null,
  username text not null,
  action text not null,
  details text,
  changed_by int8,
  changed_at_ms int8 not null
);

-- Not unique, for whoever spreads pets over servers by their ids can promise that of a pet's versions only; the order of changes sees to it.
create index pet_version_by_version on pet_version (version);
