-- Of several that clear pictures away, one at a time has a picture in hand.
alter table photo add column claimed_until_ms integer;
create index photo_doomed on photo (claimed_until_ms) where doomed = 1;

-- What has had its time is cleared away portion by portion, and found without reading the rest.
create index session_by_end on session (expires_at_ms);
create index session_by_last_use on session (last_used_at_ms);
create index api_key_by_end on api_key (expires_at_ms);
create index request_lease_by_hour on request_lease (hour);
