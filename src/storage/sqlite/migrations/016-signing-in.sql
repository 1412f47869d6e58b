-- E-mail that waits to be sent. A message has no secret: a link is made when the message is sent. `next_at_ms` is the
-- time of the next attempt, and of a message that is being sent, the time when another process may take it over.
create table mail (
  id text primary key,
  kind text not null,
  account_id integer,
  recipient text not null,
  details text not null,
  created_at_ms integer not null,
  attempts integer not null default 0,
  next_at_ms integer not null,
  dead integer not null default 0,
  last_error text
) strict;

create index mail_by_time on mail (dead, next_at_ms);

-- The address of an account that its owner has proved to read. The key is the address as it is compared. The language
-- is that of the request that confirmed it, and of later messages.
create table confirmed_email (
  account_id integer primary key references account (id) on delete cascade,
  email text not null,
  email_key text not null,
  confirmed_at_ms integer not null,
  language text
) strict;

create index confirmed_email_by_key on confirmed_email (email_key);

create table email_confirmation (
  account_id integer primary key references account (id) on delete cascade,
  digest text not null unique,
  email text not null,
  expires_at_ms integer not null
) strict;

-- The secret of one-time codes (RFC 6238), in base32. No code of `last_step` or an earlier step is accepted.
create table totp (
  account_id integer primary key references account (id) on delete cascade,
  secret text not null,
  last_step integer not null,
  created_at_ms integer not null
) strict;

create table recovery_code (
  account_id integer not null references account (id) on delete cascade,
  digest text not null,
  used_at_ms integer,
  primary key (account_id, digest)
) strict, without rowid;

-- `credential` is the credential ID (WebAuthn, section 4). All passkeys of an account have the same user handle.
create table passkey (
  id text primary key,
  account_id integer not null references account (id) on delete cascade,
  credential text not null unique,
  user_handle text not null,
  public_key text not null,
  counter integer not null,
  transports text not null,
  is_synced integer not null,
  name text not null,
  created_at_ms integer not null,
  last_used_at_ms integer
) strict;

create index passkey_by_account on passkey (account_id);

-- What a client has begun and must complete with the token of this digest within minutes: a challenge, a login that
-- waits for its second factor, or a login at a provider.
create table sign_in_step (
  digest text primary key,
  kind text not null,
  account_id integer references account (id) on delete cascade,
  details text not null,
  expires_at_ms integer not null
) strict;

create index sign_in_step_by_account on sign_in_step (account_id);
create index sign_in_step_by_end on sign_in_step (expires_at_ms);

-- Accounts at OpenID Connect providers. Neither an issuer nor a subject ever belongs to someone else.
create table provider_login (
  issuer text not null,
  subject text not null,
  account_id integer not null references account (id) on delete cascade,
  name text not null,
  created_at_ms integer not null,
  last_used_at_ms integer,
  primary key (issuer, subject)
) strict, without rowid;

create index provider_login_by_account on provider_login (account_id);

-- Programs that get access with OAuth 2.0. One without a secret is public. `redirect_uris` is a list in JSON.
create table oauth_client (
  id text primary key,
  account_id integer not null references account (id) on delete cascade,
  name text not null,
  secret_digest text,
  redirect_uris text not null,
  scopes text not null,
  created_at_ms integer not null
) strict;

create index oauth_client_by_account on oauth_client (account_id);

-- How the owner of a session has proved to be the owner, and when last; 0 is the start of the session.
alter table session add column factors text not null default 'password';
alter table session add column proved_at_ms integer not null default 0;
-- The issuer at which the owner logged in.
alter table session add column issuer text;

-- The OAuth client to which this key was given as an access token.
alter table api_key add column client_id text;

create index api_key_by_client on api_key (client_id) where client_id is not null;
