-- Profiles of pets, which are versioned with them. A draft is a pet that only staff see: the history has it before and
-- after each change, because events of drafts are private as well.
alter table pet add column profile_version integer not null default 0;
alter table pet add column profile text;
alter table pet add column is_draft integer not null default 0;

alter table pet_version add column profile_version integer not null default 0;
alter table pet_version add column profile text;
alter table pet_version add column is_draft integer not null default 0;
alter table pet_version add column was_draft integer not null default 0;

create table pet_external_id (
  pet_id integer primary key references pet (id) on delete cascade,
  external_id text not null unique
) strict;
