-- Profiles of pets, which are versioned with them. A draft is a pet that only staff see: the history has it before and
-- after each change, because events of drafts are private as well. Programs of the release before would write versions
-- without profiles.
alter table pet add column profile_version int8 not null default 0;
alter table pet add column profile text;
alter table pet add column is_draft int8 not null default 0;

alter table pet_version add column profile_version int8 not null default 0;
alter table pet_version add column profile text;
alter table pet_version add column is_draft int8 not null default 0;
alter table pet_version add column was_draft int8 not null default 0;

create table pet_external_id (
  pet_id int8 not null,
  external_id text not null unique,
  primary key (pet_id)
);
