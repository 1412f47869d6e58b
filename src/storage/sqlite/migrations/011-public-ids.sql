-- The id of a user is data of the client; the id of the account stays what everything else refers to.
alter table account add column public_id integer not null default 0;
update account set public_id = id;
