-- Works with programs since schema 14.
-- Searches whose new matches are sent to an address. `email_key` is the address in lower case, and `search` is a query.
-- The changes up to `seen_version` were compared with it. It is due at `next_at_ms`, which is also the end of a claim.
create table saved_search (
  id text primary key,
  email text not null,
  email_key text not null,
  language text not null,
  search text not null,
  created_at_ms int8 not null,
  confirmed_at_ms int8,
  ends_at_ms int8 not null,
  seen_version int8 not null,
  next_at_ms int8 not null,
  mailed_at_ms int8
);
create unique index saved_search_of_address on saved_search (email_key, search);
create index saved_search_due on saved_search (next_at_ms) where confirmed_at_ms is not null;
create index saved_search_end on saved_search (ends_at_ms);

-- Digests of the links that were sent: each message has its own, and all of them work.
create table saved_search_link (
  digest text primary key,
  search_id text not null references saved_search (id) on delete cascade
);
create index saved_search_link_of_search on saved_search_link (search_id);

-- Pets that were in a message about the search.
create table saved_search_pet (
  search_id text not null references saved_search (id) on delete cascade,
  pet_id int8 not null,
  primary key (search_id, pet_id)
);

-- To erase what waits for an address.
create index mail_to_recipient on mail (recipient);
