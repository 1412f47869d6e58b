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

-- Whom changes are sent to. The secret is as it is, for it signs. One node at a time works on a webhook, as long as its lease lasts; everything up to
-- the last version was sent, or waits in webhook_delivery.
create table webhook (
  id text primary key,
  url text not null,
  events text not null,
  secret text not null,
  origin text not null,
  state text not null,
  last_version integer not null,
  created_at_ms integer not null,
  leased_by text,
  leased_until_ms integer not null default 0
) strict, without rowid;

-- What could not be delivered at first. Dead is what is not tried again by itself.
create table webhook_delivery (
  webhook_id text not null references webhook (id) on delete cascade,
  version integer not null,
  attempts integer not null,
  next_at_ms integer not null,
  dead integer not null default 0,
  last_status integer,
  last_error text,
  last_at_ms integer not null,
  primary key (webhook_id, version)
) strict, without rowid;

create index webhook_delivery_by_time on webhook_delivery (webhook_id, dead, next_at_ms);
