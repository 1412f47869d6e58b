-- Works with programs since schema 19.
-- While the secret of a webhook is being rotated, the previous one signs as well until this time.
alter table webhook add column previous_secret text;
alter table webhook add column previous_secret_until_ms int8;
