-- The number of new enquiries is read by each page of the staff.
create index enquiry_new on enquiry (id) where state = 'new';
