-- How far the migrations have come, in the row that every change locks first: a node that does not know them all stops writing.
alter table change_order add column schema_version int4 not null default 6;
