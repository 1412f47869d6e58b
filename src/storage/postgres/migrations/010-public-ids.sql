-- The id of a user is data of the client; the id of the account stays what everything else refers to.
alter table account add column public_id int8;
update account set public_id = id;
alter table account alter column public_id set not null;
