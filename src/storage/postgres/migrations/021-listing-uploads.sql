-- Works with programs since schema 19.
-- The last upload to a site had all changes up to `sent_mark`. An administrator asked for one at `requested_at_ms`.
-- Uploads have failed since `failing_since_ms`, of which administrators got a message at `reported_at_ms`.
alter table listing add column sent_mark text;
alter table listing add column requested_at_ms int8;
alter table listing add column failing_since_ms int8;
alter table listing add column reported_at_ms int8;

-- The pets in the files of a site, and when each was added. A pet that leaves and returns has new addresses of photos.
create table listed_pet (
  site text not null,
  pet_id int8 not null,
  since_ms int8 not null,
  primary key (site, pet_id)
);

-- Until then, one process sends the message. Others wait for `next_at_ms`, and may be sent earlier.
alter table mail add column claimed_until_ms int8 not null default 0;
