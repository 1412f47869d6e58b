-- What pets are found and sorted by. Derived from pet and pet_version.
create table pet_search (
  pet_id int8 not null,
  name_key text collate "C" not null,
  tokens tsvector not null,
  added_version int8 not null,
  changed_at_ms int8 not null,
  primary key (pet_id)
);

create index pet_search_by_token on pet_search using gin (tokens);
create index pet_search_by_name on pet_search (name_key, pet_id);
create index pet_search_by_addition on pet_search (added_version);
create index pet_search_by_change on pet_search (changed_at_ms);

-- What is counted as it changes. A kind has a row for each name. Labels are sorted by their counts; the others are not, so that they are updated in place.
create table pet_count (
  kind text not null,
  name text collate "C" not null,
  count int8 not null,
  primary key (kind, name)
);

create table label_count (
  kind text not null,
  name text collate "C" not null,
  count int8 not null,
  primary key (kind, name)
);

create index label_count_by_use on label_count (kind, count desc, name);
