-- The names of staff: no new user name may look like one of them.
create index account_staff on account (role, username) where role in ('editor', 'admin');
