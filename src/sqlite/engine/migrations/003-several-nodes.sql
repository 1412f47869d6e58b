-- Of several that clear pictures away, one at a time has a picture in hand.
alter table photo add column claimed_until_ms integer;
