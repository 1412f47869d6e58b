-- What people write to the shelter about a pet. The id is the time of the enquiry in milliseconds, or the next number.
-- `pet_name` is the name at that time. `email_key` is the address in lower case, and `search_key` all texts.
-- `form_id` identifies the form, which can be sent once.
create table enquiry (
  id integer primary key,
  version integer not null default 1,
  pet_id integer not null,
  pet_name text not null,
  state text not null default 'new',
  assignee_id integer references account (id) on delete set null,
  name text not null,
  email text not null,
  email_key text not null,
  phone text,
  message text not null,
  answers text not null,
  language text not null,
  search_key text not null,
  form_id text not null unique,
  created_at_ms integer not null,
  changed_at_ms integer not null
) strict;

create index enquiry_email on enquiry (email_key);
create index enquiry_time on enquiry (created_at_ms);
create index enquiry_assignee on enquiry (assignee_id) where assignee_id is not null;

-- The notes and answers of staff. The author may have been deleted.
create table enquiry_entry (
  enquiry_id integer not null references enquiry (id) on delete cascade,
  number integer not null,
  kind text not null,
  author_id integer,
  author_name text,
  at_ms integer not null,
  text text not null,
  primary key (enquiry_id, number)
) strict, without rowid;
