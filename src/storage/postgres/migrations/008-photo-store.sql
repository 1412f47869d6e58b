-- The id of the installation. Its photo store has the same one, so a server never clears photos that belong to another database.
create table installation (
  only_row int4 primary key,
  id text not null
);

-- When this database first saw a stored file without an entry in photo. The grace time of such a file begins then.
create table stray_photo (
  digest text primary key,
  first_seen_ms int8 not null
);
