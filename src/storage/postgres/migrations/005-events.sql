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

-- Whom changes are sent to. The secret is as it is, for it signs. One node at a time works on a webhook, as long as its lease lasts; everything up to
-- the last version was sent, or waits in webhook_delivery.
create table webhook (
  id text primary key,
  url text not null,
  events text not null,
  secret text not null,
  origin text not null,
  state text not null,
  last_version int8 not null,
  created_at_ms int8 not null,
  leased_by text,
  leased_until_ms int8 not null default 0
);

-- What could not be delivered at first. Dead is what is not tried again by itself.
create table webhook_delivery (
  webhook_id text not null references webhook (id) on delete cascade,
  version int8 not null,
  attempts int8 not null,
  next_at_ms int8 not null,
  dead int8 not null default 0,
  last_status int8,
  last_error text,
  last_at_ms int8 not null,
  primary key (webhook_id, version)
);

create index webhook_delivery_by_time on webhook_delivery (webhook_id, dead, next_at_ms);
