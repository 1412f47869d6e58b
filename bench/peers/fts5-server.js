import { createServer } from 'node:http';
import { sampleRecord } from '../tools/sample-pets.ts';
import { createEngine } from './fts5.js';

/*
 * SQLite FTS5 behind the same HTTP operations as Menagerie. It responds with IDs only, and its cursor is the number of
 * pets before the page. Usage: node fts5-server.js PETS DATABASE
 */

const PAGE = 50;
const [count, database] = process.argv.slice(2);

function* pets(count) {
  for (let id = 1; id <= count; id++) {
    const { name, status, categoryName: category, tagNames: tags } = sampleRecord(id);
    yield { id, name, status, category, tags };
  }
}

const RESPONSES = {
  '/built': () => ({}),
  '/v2/pet': (search, filters, query) =>
    search.find(filters, query.get('sort'), Number(query.get('cursor') ?? 0), PAGE),
  // Each facet is counted as if none of its own values were selected.
  '/v2/facets': (search, { words, status, category, tag }) => ({
    statuses: search.count('status', { words, category, tag }),
    categories: search.count('category', { words, status, tag }),
    tags: search.count('tags', { words, status, category }),
  }),
};

let built;
const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://127.0.0.1');
  const value = (name) => query.get(name) ?? undefined;
  const words = value('text')?.toLowerCase().split(' ') ?? [];
  const filters = { words, status: value('status'), category: value('category'), tag: value('tags') };
  // Built with the first request, when the server has printed its address.
  built ??= createEngine(pets(Number(count)), database);
  response.end(JSON.stringify(RESPONSES[pathname](built, filters, query)));
});
server.listen(0, '127.0.0.1', () => {
  console.log(`FTS5 is at http://127.0.0.1:${server.address().port}`);
});
