import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { callAs, clientOf } from '../support/client.ts';
import { multipart } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';
import { noXmlReader, readByOthers } from '../support/xml-reader.ts';

/* The feeds of the newest pets, against the rules of Atom (RFC 4287) and JSON Feed 1.1. */

const HOSTILE = `]]></title><script>alert("1" & '2')</script>\u0007\u{1f43e}`;

const service = await startTestService({ after }, { web: true });
const { origin, base } = service;
const call = clientOf(base);
const get = (path: string, headers: Record<string, string> = {}) => call('GET', origin + path, { headers });

interface AtomLink {
  rel: string;
  type: string;
  href: string;
}

interface AtomEntry {
  id: string;
  title: string;
  updated: string;
  summary: string;
  link: readonly AtomLink[];
  category?: readonly { term: string }[];
}

interface AtomFeed extends Omit<AtomEntry, 'summary'> {
  xmlns: string;
  author: { name: string };
  entry?: readonly AtomEntry[];
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name) => ['entry', 'link', 'category'].includes(name),
});

async function atomAt(query = ''): Promise<AtomFeed & { entry: readonly AtomEntry[] }> {
  const { text } = await get(`/feed.atom${query}`);
  const { feed } = parser.parse(text) as { feed: AtomFeed };
  return { ...feed, entry: feed.entry ?? [] };
}

interface JsonItem {
  id: string;
  url: string;
  title: string;
  content_text: string;
  date_modified: string;
  tags?: readonly string[];
  image?: string;
  attachments?: readonly { url: string; mime_type: string; title?: string }[];
}

interface JsonFeed {
  version: string;
  title: string;
  home_page_url: string;
  feed_url: string;
  language: string;
  authors: readonly { name: string }[];
  items: readonly JsonItem[];
}

async function jsonAt(query = ''): Promise<JsonFeed> {
  return JSON.parse((await get(`/feed.json${query}`)).text) as JsonFeed;
}

const idsOf = ({ entry }: { entry: readonly AtomEntry[] }) => entry.map(({ id }) => id.replace(`${origin}/pets/`, ''));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

before(async () => {
  for (const pet of [
    { id: 1, name: 'Luna', status: 'available', category: { name: 'Cats' }, tags: [{ name: 'calm' }] },
    { id: 2, name: 'Rex', status: 'sold', category: { name: 'Dogs' } },
    { id: 3, name: HOSTILE, status: 'available', category: { name: HOSTILE }, tags: [{ name: '"<&' }] },
  ])
    await call('POST', 'pet', { json: pet });
  const file = { name: 'file', fileName: 'luna.jpg', content: await makePhoto() };
  await call('POST', 'pet/1/uploadImage', multipart([{ name: 'additionalMetadata', content: 'A grey cat' }, file]));
});

void describe('Atom feed', () => {
  void it('has every required element', async () => {
    const response = await get('/feed.atom');
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/atom+xml']);
    const feed = await atomAt();
    assert.equal(feed.xmlns, 'http://www.w3.org/2005/Atom');
    assert.equal(feed.id, `${origin}/feed.atom`);
    assert.equal(feed.title, 'Newest pets - Menagerie');
    assert.equal(feed.author.name, 'Menagerie');
    assert.match(feed.updated, TIME);
    assert.deepEqual(feed.link, [
      { rel: 'self', type: 'application/atom+xml', href: `${origin}/feed.atom` },
      { rel: 'alternate', type: 'text/html', href: `${origin}/` },
    ]);
    assert.equal(new Set(feed.entry.map(({ id }) => id)).size, 2, 'each id once');
    for (const { id, title, updated, link } of feed.entry) {
      assert.ok(URL.canParse(id) && title !== '');
      assert.match(updated, TIME);
      assert.ok(updated <= feed.updated);
      assert.equal(link.filter(({ rel }) => rel === 'alternate').length, 1);
    }
  });

  void it('has the available pets, the newest first, with their facts and photo', async () => {
    const feed = await atomAt();
    assert.deepEqual(idsOf(feed), ['3', '1']);
    const luna = feed.entry[1] ?? assert.fail();
    assert.deepEqual([luna.title, luna.summary], ['Luna', 'Luna is looking for a home. Cats, calm.']);
    assert.deepEqual(luna.category, [{ term: 'Cats' }, { term: 'calm' }]);
    const photo = luna.link.find(({ rel }) => rel === 'enclosure') ?? assert.fail();
    assert.equal((await call('GET', photo.href)).headers.get('content-type'), photo.type);
  });

  void it('is well-formed with any name', { skip: noXmlReader }, async () => {
    const [read] = readByOthers([(await get('/feed.atom')).text]);
    const [, , children] = read ?? assert.fail('not well-formed');
    const entry = children.find(([name]) => name === 'entry') ?? assert.fail();
    const title = entry[2].find(([name]) => name === 'title');
    assert.equal(title?.[1], HOSTILE.replace('\u0007', '\uFFFD'));
  });

  void it('has the language of the reader', async () => {
    const { text, headers } = await get('/feed.atom', { 'accept-language': 'de' });
    assert.match(text, /xml:lang="de"/);
    assert.match(text, /<title>Neueste Tiere - Menagerie<\/title>/);
    assert.match(headers.get('vary') ?? '', /Accept-Language/);
  });
});

void describe('JSON feed', () => {
  void it('has every required member', async () => {
    const response = await get('/feed.json');
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/feed+json']);
    const { items, ...feed } = await jsonAt();
    assert.deepEqual(feed, {
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Newest pets - Menagerie',
      home_page_url: `${origin}/`,
      feed_url: `${origin}/feed.json`,
      language: 'en',
      authors: [{ name: 'Menagerie' }],
    });
    assert.deepEqual(
      items.map(({ id, url }) => [id, url]),
      [3, 1].map((id) => [`${origin}/pets/${id}`, `${origin}/pets/${id}`]),
    );
    for (const { content_text, date_modified } of items) {
      assert.ok(content_text !== '');
      assert.match(date_modified, TIME);
    }
  });

  void it('has the photo as an attachment', async () => {
    const { items } = await jsonAt();
    const [hostile, luna] = items;
    assert.equal(hostile?.title, HOSTILE);
    assert.equal(hostile.attachments, undefined);
    const [photo, ...others] = luna?.attachments ?? [];
    assert.deepEqual([photo?.mime_type, photo?.title, others.length], ['image/jpeg', 'A grey cat', 0]);
    assert.equal(luna?.image, photo?.url);
    assert.deepEqual(luna?.tags, ['Cats', 'calm']);
  });
});

void describe('feed of a search', () => {
  void it('has the pets that a visitor finds, with the parameters of the catalogue', async () => {
    const cats = await atomAt('?category=Cats&sort=name&utm_source=mail');
    assert.deepEqual(idsOf(cats), ['1']);
    assert.equal(cats.title, 'Cats: Newest pets - Menagerie');
    assert.equal(cats.id, `${origin}/feed.atom?category=Cats`);
    assert.equal(cats.link[1]?.href, `${origin}/?category=Cats`);
    assert.deepEqual(idsOf(await atomAt('?status=any')), ['3', '2', '1']);
    assert.deepEqual(idsOf(await atomAt('?text=luna')), ['1']);
    assert.deepEqual(idsOf(await atomAt('?status=sold')), ['2']);
    const nothing = await atomAt('?tag=nothing');
    assert.deepEqual(nothing.entry, []);
    assert.match(nothing.updated, TIME);
    assert.equal((await jsonAt('?category=Dogs&status=sold')).items.length, 1);
  });

  void it('is linked from the page of the search', async () => {
    const { text } = await get('/?category=Cats&sort=name', { accept: 'text/html' });
    const links = [
      ...text.matchAll(/<link rel="alternate" type="([^"]+(?:atom\+xml|feed\+json))" title="([^"]+)" href="([^"]+)">/g),
    ];
    assert.deepEqual(
      links.map(([, ...parts]) => parts),
      [
        ['application/atom+xml', 'Cats: Newest pets - Menagerie', `${origin}/feed.atom?category=Cats`],
        ['application/feed+json', 'Cats: Newest pets - Menagerie', `${origin}/feed.json?category=Cats`],
      ],
    );
  });
});

void describe('feeds', () => {
  void it('conditional requests: 304 until a pet changes', async () => {
    for (const path of ['/feed.atom', '/feed.json']) {
      const first = await get(path);
      const tag = first.headers.get('etag') ?? assert.fail();
      const unchanged = await get(path, { 'if-none-match': tag });
      assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
      await call('PATCH', 'pet/1', { json: { tags: [{ name: `calm ${path}` }] } });
      assert.equal((await get(path, { 'if-none-match': tag })).status, 200);
      await call('PATCH', 'pet/1', { json: { tags: [{ name: 'calm' }] } });
    }
  });

  void it('have no drafts', async () => {
    await call('PATCH', 'pet/1/profile', { json: { isPublished: false } });
    assert.deepEqual(idsOf(await atomAt()), ['3']);
    assert.equal((await jsonAt()).items.length, 1);
    await call('PATCH', 'pet/1/profile', { json: { isPublished: true } });
    assert.deepEqual(idsOf(await atomAt()), ['1', '3'], 'its publication makes it new');
  });

  void it('have at most 50 pets, and the public URL with its path', async (t) => {
    const flags = ['--empty', '--public-url', 'http://127.0.0.1/zoo'];
    const there = await startTestService(t, { web: true, flags });
    const lines = Array.from({ length: 60 }, () => '{"op":"create","pet":{"name":"Rex","status":"available"}}');
    const headers = { 'content-type': 'application/x-ndjson' };
    await clientOf(there.base)('POST', 'bulk', { body: Buffer.from(lines.join('\n')), headers });
    const { text } = await callAs(there.origin, 'GET', 'feed.json');
    const { items, feed_url } = JSON.parse(text) as JsonFeed;
    assert.equal(items.length, 50);
    assert.equal(items[0]?.id, 'http://127.0.0.1/zoo/pets/60');
    assert.equal(feed_url, 'http://127.0.0.1/zoo/feed.json');
  });
});
