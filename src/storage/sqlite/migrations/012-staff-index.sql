-- The names of staff, whatever roles there are: no new user name may look like one of them.
drop index account_staff;
create index account_staff on account (role, username) where role <> 'viewer';
