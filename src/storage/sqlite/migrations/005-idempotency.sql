-- Requests that are not to be carried out twice, by digests of their keys. The mark, done_by and result, is written with the change that a request makes;
-- what was answered is sealed with the key, which is nowhere kept.
create table idempotent_request (
  digest text primary key,
  fingerprint text not null,
  claim text not null,
  claimed_until_ms integer not null,
  done_by text,
  result text,
  answer text,
  expires_at_ms integer not null
) strict;

create index idempotent_request_by_end on idempotent_request (expires_at_ms);
