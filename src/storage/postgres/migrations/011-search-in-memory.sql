-- The search index is in memory, so its tables go. The version in which a pet was added remains: the order of the newest pets needs it, also after a deletion
-- and a restore.
alter table pet add column added_version int8 not null default 0;
update pet set added_version = coalesce(
  (select max(past.version) from pet_version as past where past.pet_id = pet.id and past.action = 'added'), pet.version);

alter table removed_pet add column added_version int8 not null default 0;
update removed_pet set added_version = coalesce(
  (select max(past.version) from pet_version as past where past.pet_id = removed_pet.id and past.action = 'added'), removed_pet.version);

drop table if exists pet_search;
drop table if exists label_count;
delete from pet_count where kind in ('total', 'status');
