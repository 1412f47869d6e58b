-- The search index is in memory, so its tables go. The version in which a pet was added remains: the order of the newest pets needs it, also after a deletion
-- and a restore.
alter table pet add column added_version integer not null default 0;
update pet set added_version = version;
update pet set added_version = addition.version
  from (select pet_id, max(version) as version from pet_version where action = 'added' group by pet_id) as addition
  where addition.pet_id = pet.id;

alter table removed_pet add column added_version integer not null default 0;
update removed_pet set added_version = version;
update removed_pet set added_version = addition.version
  from (select pet_id, max(version) as version from pet_version where action = 'added' group by pet_id) as addition
  where addition.pet_id = removed_pet.id;

drop table if exists pet_token_order;
drop table if exists pet_token;
drop table if exists pet_search;
drop table if exists label_count;
delete from pet_count where kind in ('total', 'status');
