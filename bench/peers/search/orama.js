import { create, insert, search } from '@orama/orama';

export async function createEngine(pets) {
  const db = create({
    schema: { words: 'string', name: 'string', status: 'enum', category: 'enum', tags: 'enum[]' },
    sort: { unsortableProperties: ['words', 'status', 'category'] },
  });
  for (const { id, name, status, category, tags } of pets)
    await insert(db, { id: String(id), words: [name, category, ...tags].join(' '), name, status, category, tags });

  async function matchesOf({ words, status, category, tag }, options) {
    const where = {
      ...(status !== undefined && { status: { eq: status } }),
      ...(category !== undefined && { category: { eq: category } }),
      ...(tag !== undefined && { tags: { containsAll: [tag] } }),
    };
    const text = words.length === 0 ? {} : { term: words.join(' '), properties: ['words'], threshold: 0 };
    const found = await search(db, { ...text, where, ...options });
    return found.count > 0 || words.length === 0 ? found : search(db, { ...text, where, ...options, tolerance: 1 });
  }

  return {
    async find(filters, sort, skip, limit) {
      const sortBy = sort === 'name' && { sortBy: { property: 'name' } };
      const { count, hits } = await matchesOf(filters, { offset: skip, limit, ...sortBy });
      return { total: count, pets: hits.map(({ id }) => Number(id)) };
    },
    async count(facet, filters) {
      const { facets } = await matchesOf(filters, { limit: 1, facets: { [facet]: {} } });
      return Object.entries(facets[facet].values).map(([name, count]) => ({ name, count }));
    },
  };
}
