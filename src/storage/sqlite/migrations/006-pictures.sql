-- What stands in for a picture until it is there; null for those of before, which get theirs when they are first asked for.
alter table photo add column placeholder text;

-- What a pet says of one of its pictures, for those who do not see it.
alter table pet_photo add column alt text;
