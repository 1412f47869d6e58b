import { Pool, types } from 'pg';

types.setTypeParser(types.builtins.INT8, Number);

const ROWS_PER_INSERT = 10_000;

/** A column of lexemes with a GIN index, and an index for each filter and order. */
export async function createEngine(pets, url) {
  const pool = new Pool({ connectionString: url, max: 2 });
  const read = async (text, values) => (await pool.query({ text, values, rowMode: 'array' })).rows;
  await pool.query(
    'create table indexed_pet (id int8 primary key, name text, status text, category text, tags text[], words ' +
      'tsvector)',
  );
  for (const rows of chunksOf(pets, ROWS_PER_INSERT))
    await pool.query(
      `insert into indexed_pet select id, name, status, category, tags,
         to_tsvector('simple', concat_ws(' ', name, category, array_to_string(tags, ' ')))
       from json_to_recordset($1) as each (id int8, name text, status text, category text, tags text[])`,
      [JSON.stringify(rows)],
    );
  for (const index of ['gin (words)', 'gin (tags)', '(status, id)', '(category, id)', '(name, id)'])
    await pool.query(`create index on indexed_pet using ${index.startsWith('gin') ? index : `btree ${index}`}`);
  await pool.query('vacuum (freeze, analyze) indexed_pet');

  return {
    async find(filters, sort, skip, limit) {
      const { from, values } = query(filters);
      const order = sort === 'name' ? 'name, id' : 'id';
      const [[[total]], rows] = await Promise.all([
        read(`select count(*) ${from}`, values),
        read(`select id ${from} order by ${order} limit ${limit} offset ${skip}`, values),
      ]);
      return { total, pets: rows.flat() };
    },
    async count(facet, filters) {
      const { from, values } = query(filters);
      const name = facet === 'tags' ? 'unnest(tags)' : facet;
      const rows = await read(`select ${name}, count(*) ${from} group by 1`, values);
      return rows.map(([name, count]) => ({ name, count }));
    },
    diskBytes: async () => (await read("select pg_total_relation_size('indexed_pet')"))[0][0],
  };
}

function query({ words, status, category, tag }) {
  const conditions = [
    ...(words.length > 0 ? [["words @@ to_tsquery('simple', ?)", words.map((word) => `${word}:*`).join(' & ')]] : []),
    ...(status === undefined ? [] : [['status = ?', status]]),
    ...(category === undefined ? [] : [['category = ?', category]]),
    ...(tag === undefined ? [] : [['tags @> array[?]', tag]]),
  ];
  const where = conditions.map(([sql], index) => sql.replace('?', `$${index + 1}`)).join(' and ');
  return { from: `from indexed_pet ${where && `where ${where}`}`, values: conditions.map(([, value]) => value) };
}

function* chunksOf(pets, size) {
  let chunk = [];
  for (const pet of pets) {
    if (chunk.push(pet) < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
