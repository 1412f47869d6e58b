-- What became of accounts, with numbers of the same row as the versions of pets: one order over all changes. Never a secret.
create table account_change (
  version integer primary key,
  account_id integer not null,
  username text not null,
  action text not null,
  details text,
  changed_by integer,
  changed_at_ms integer not null
) strict;
