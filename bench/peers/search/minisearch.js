import MiniSearch from 'minisearch';

export function createEngine(pets) {
  const index = new MiniSearch({
    fields: ['name', 'category', 'tags'],
    storeFields: ['name', 'status', 'category', 'tags'],
    extractField: (pet, field) => (field === 'tags' ? pet.tags.join(' ') : pet[field]),
    stringifyField: (value) => value,
    searchOptions: { prefix: true, combineWith: 'AND' },
  });
  for (const pet of pets) index.add(pet);

  function matchesOf({ words, status, category, tag }) {
    const filter = (pet) =>
      (status === undefined || pet.status === status) &&
      (category === undefined || pet.category === category) &&
      (tag === undefined || pet.tags.split(' ').includes(tag));
    if (words.length === 0) return index.search(MiniSearch.wildcard, { filter });
    const found = index.search(words.join(' '), { filter });
    return found.length > 0 ? found : index.search(words.join(' '), { filter, fuzzy: 0.3 });
  }

  return {
    find(filters, sort, skip, limit) {
      const matches = matchesOf(filters);
      if (sort === 'name') matches.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id));
      return { total: matches.length, pets: matches.slice(skip, skip + limit).map(({ id }) => id) };
    },
    count(facet, filters) {
      const counts = new Map();
      for (const pet of matchesOf(filters))
        for (const name of facet === 'tags' ? pet.tags.split(' ') : [pet[facet]])
          counts.set(name, (counts.get(name) ?? 0) + 1);
      return Array.from(counts, ([name, count]) => ({ name, count }));
    },
  };
}
