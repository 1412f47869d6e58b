import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Plain FTS5 with an index for short prefixes, and an index for each filter and order. */
export function createEngine(pets, place) {
  rmSync(place, { force: true });
  const db = new DatabaseSync(place);
  db.exec(`
    pragma journal_mode = wal;
    pragma cache_size = -65536;
    create table pet (id integer primary key, name text, status text, category text);
    create table pet_tag (name text, pet_id integer, primary key (name, pet_id)) without rowid;
    create virtual table pet_text using fts5 (name, category, tags, content = '', prefix = '1 2');
    begin`);
  const insertPet = db.prepare('insert into pet values (?, ?, ?, ?)');
  const insertTag = db.prepare('insert into pet_tag values (?, ?)');
  const insertText = db.prepare('insert into pet_text (rowid, name, category, tags) values (?, ?, ?, ?)');
  for (const { id, name, status, category, tags } of pets) {
    insertPet.run(id, name, status, category);
    for (const tag of tags) insertTag.run(tag, id);
    insertText.run(id, name, category, tags.join(' '));
  }
  db.exec(`
    create index pet_by_status on pet (status, id);
    create index pet_by_category on pet (category, id);
    create index pet_by_name on pet (name, id);
    create index pet_tag_by_pet on pet_tag (pet_id, name);
    insert into pet_text (pet_text) values ('optimize');
    commit;
    analyze;
    pragma wal_checkpoint (truncate)`);

  const read = (sql, values) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...values);
  };

  return {
    find(filters, sort, skip, limit) {
      const { from, values, id } = query(filters, sort === 'name');
      const order = sort === 'name' ? `pet.name, ${id}` : id;
      const total = query(filters);
      return {
        total: read(`select count(*) ${total.from}`, total.values)[0][0],
        pets: read(`select ${id} ${from} order by ${order} limit ${limit} offset ${skip}`, values).flat(),
      };
    },
    count(facet, filters) {
      const { from, values, id } = query(filters, facet !== 'tags');
      const found = facet === 'tags' ? `from pet_tag where pet_id in (select ${id} ${from})` : from;
      const name = facet === 'tags' ? 'pet_tag.name' : `pet.${facet}`;
      return read(`select ${name}, count(*) ${found} group by 1`, values).map(([name, count]) => ({ name, count }));
    },
  };
}

/** @param needsPet whether a column of the pet is read */
function query({ words, status, category, tag }, needsPet = false) {
  const hasText = words.length > 0;
  const id = hasText ? 'pet_text.rowid' : 'pet.id';
  const conditions = [
    ...(hasText ? [['pet_text match ?', words.map((word) => `"${word}"*`).join(' ')]] : []),
    ...(status === undefined ? [] : [['pet.status = ?', status]]),
    ...(category === undefined ? [] : [['pet.category = ?', category]]),
    ...(tag === undefined ? [] : [[`${id} in (select pet_id from pet_tag where name = ?)`, tag]]),
  ];
  const join = needsPet || status !== undefined || category !== undefined ? ' join pet on pet.id = pet_text.rowid' : '';
  const where = conditions.length === 0 ? '' : `where ${conditions.map(([sql]) => sql).join(' and ')}`;
  return {
    from: `from ${hasText ? `pet_text${join}` : 'pet'} ${where}`,
    values: conditions.map(([, value]) => value),
    id,
  };
}
