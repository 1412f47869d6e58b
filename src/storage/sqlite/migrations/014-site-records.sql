-- Records of which a site has one each, such as the organisation, by their kind. `photo` is the digest of the stored photo to which a record refers.
create table site_record (
  kind text primary key,
  version integer not null,
  text text not null,
  photo text,
  changed_at_ms integer not null,
  changed_by integer
) strict, without rowid;
