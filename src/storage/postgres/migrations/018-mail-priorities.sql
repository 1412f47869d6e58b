-- Works with programs since schema 14.
-- For claims, which look for the oldest message of each kind.
create index mail_by_kind on mail (kind, dead, next_at_ms);
