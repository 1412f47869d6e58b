-- Works with programs since schema 19.
-- The HTTPS certificate of an authority and its domains (`order_key`), and the state of the attempts to get a newer one.
-- Not in backups: it is obtained again.
create table certificate (
  order_key text not null primary key,
  account_key text,
  private_key text,
  chain text,
  not_before_ms int8,
  not_after_ms int8,
  claimed_until_ms int8 not null default 0,
  revision int8 not null default 0,
  attempts int8 not null default 0,
  failing_since_ms int8,
  failed_at_ms int8,
  error text,
  reported_at_ms int8
);

create table certificate_challenge (
  token text not null primary key,
  answer text not null,
  expires_at_ms int8 not null
);
