-- The HTTPS certificate of an authority and its domains (`order_key`), and the state of the attempts to get a newer one.
-- Not in backups: it is obtained again.
create table certificate (
  order_key text not null primary key,
  account_key text,
  private_key text,
  chain text,
  not_before_ms integer,
  not_after_ms integer,
  claimed_until_ms integer not null default 0,
  revision integer not null default 0,
  attempts integer not null default 0,
  failing_since_ms integer,
  failed_at_ms integer,
  error text,
  reported_at_ms integer
) strict;

create table certificate_challenge (
  token text not null primary key,
  answer text not null,
  expires_at_ms integer not null
) strict, without rowid;
