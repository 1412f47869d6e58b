import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { sampleRecord } from '../../tools/sample-pets.ts';

/*
 * A search library behind the same HTTP operations as Menagerie. It responds with IDs only, and its cursor is the
 * number of pets before the page. Usage: node server.js ENGINE PETS PLACE
 */

const PAGE = 50;
const [engine, count, place] = process.argv.slice(2);
const { createEngine } = await import(`./${engine}.js`);
// More than the default, which a million pets exceed.
setFlagsFromString('--max-old-space-size=12288');

async function build() {
  const startedMs = performance.now();
  const search = await createEngine(pets(Number(count)), place);
  return { search, ms: performance.now() - startedMs, diskBytes: (await search.diskBytes?.()) ?? 0 };
}

function* pets(count) {
  for (let id = 1; id <= count; id++) {
    const { name, status, categoryName: category, tagNames: tags } = sampleRecord(id);
    yield { id, name, status, category, tags };
  }
}

const RESPONSES = {
  '/built': ({ ms, diskBytes }) => ({ ms, diskBytes }),
  '/v2/pet': ({ search }, filters, query) =>
    search.find(filters, query.get('sort'), Number(query.get('cursor') ?? 0), PAGE),
  // Each facet is counted as if none of its own values were selected.
  '/v2/facets': async ({ search }, { words, status, category, tag }) => ({
    statuses: await search.count('status', { words, category, tag }),
    categories: await search.count('category', { words, status, tag }),
    tags: await search.count('tags', { words, status, category }),
  }),
};

let built;
const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://127.0.0.1');
  const value = (name) => query.get(name) ?? undefined;
  const words = value('text')?.toLowerCase().split(' ') ?? [];
  const filters = { words, status: value('status'), category: value('category'), tag: value('tags') };
  // Built with the first request, when the server has printed its address.
  built ??= build();
  built
    .then((engine) => RESPONSES[pathname](engine, filters, query))
    .then(
      (found) => response.end(JSON.stringify(found)),
      (error) => response.writeHead(500).end(String(error.stack)),
    );
});
server.listen(0, '127.0.0.1', () => {
  console.log(`${engine} is at http://127.0.0.1:${server.address().port}`);
});
