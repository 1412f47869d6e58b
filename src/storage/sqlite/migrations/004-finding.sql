-- What pets are found and sorted by. Derived from pet and pet_version; the tokens stand between spaces, with one before and one after.
create table pet_search (
  pet_id integer primary key,
  name_key text not null,
  tokens text not null,
  added_version integer not null,
  changed_at_ms integer not null
) strict;

create index pet_search_by_addition on pet_search (added_version);
create index pet_search_by_change on pet_search (changed_at_ms);

-- The pets of each token. The name key is a token, too: a tree of names would cost each new pet ten times as much, for it comes in anywhere.
create virtual table pet_token using fts5 (
  all_tokens, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '-_'"
);

create virtual table pet_token_order using fts5vocab (pet_token, instance);

-- What is counted as it changes. A kind has a row for each name.
create table pet_count (
  kind text not null,
  name text not null,
  count integer not null,
  primary key (kind, name)
) strict, without rowid;

create table label_count (
  kind text not null,
  name text not null,
  count integer not null,
  primary key (kind, name)
) strict, without rowid;

create index label_count_by_use on label_count (kind, count desc, name);
