-- Who looks for removed pets wants the latest first. Adoptions and pictures are counted from now on, too: what there was is counted after this.
create index removed_pet_by_version on removed_pet (version);
