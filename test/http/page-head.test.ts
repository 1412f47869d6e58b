import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PAGE_PATHS } from '../../src/api/pages.ts';
import { callAs, clientOf } from '../support/client.ts';
import { multipart } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { checkStructuredData, structuredDataIn } from '../support/structured-data.ts';

/* What search engines and link previews read of a page. */

const HOSTILE = `</script></title>"'><script>alert(1)</script>&amp;\u2028.`;
const ESCAPED = `&lt;/script&gt;&lt;/title&gt;&quot;'&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;\u2028.`;

const service = await startTestService({ after }, { web: true });
const { origin, base } = service;
const call = clientOf(base);

async function pageAt(path: string, language = 'en'): Promise<string> {
  const headers = { accept: 'text/html', 'accept-language': language };
  return (await callAs(origin, 'GET', path.slice(1), { headers })).text;
}

/** The contents of the head by name, such as `og:title`, and the canonical address. */
function metaOf(page: string): ReadonlyMap<string, string> {
  const head = page.slice(0, page.indexOf('</head>'));
  const named = [...head.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g)];
  const canonical = /<link rel="canonical" href="([^"]*)">/.exec(head)?.[1];
  const entries = named.map(([, name = '', content = '']) => [name, content] as const);
  return new Map([...entries, ...(canonical === undefined ? [] : [['canonical', canonical] as const])]);
}

const titleOf = (page: string) => /<title>([^<]*)<\/title>/.exec(page)?.[1];

before(async () => {
  const luna = { id: 1, name: 'Luna', status: 'available', category: { name: 'Cats' }, tags: [{ name: 'calm' }] };
  await call('POST', 'pet', { json: luna });
  await call(
    'POST',
    'pet/1/uploadImage',
    multipart([
      { name: 'additionalMetadata', content: 'A grey cat' },
      { name: 'file', fileName: 'luna.jpg', content: await makePhoto({ width: 90, height: 60 }) },
    ]),
  );
  await call('POST', 'pet', { json: { id: 2, name: HOSTILE, category: { name: HOSTILE }, tags: [{ name: HOSTILE }] } });
  await call('POST', 'pet', { json: { id: 3, name: 'Max', status: 'pending' } });
  await call('POST', 'pet', { json: { id: 4, name: 'Rex', status: 'sold' } });
});

/** The language in which a page is sent. */
async function languageOf(path: string, headers: Record<string, string> = {}, of = origin) {
  const sent = await callAs(of, 'GET', path.slice(1), { headers: { accept: 'text/html', ...headers } });
  assert.match(sent.text, new RegExp(`<html lang="${sent.headers.get('content-language')}"`));
  return sent.headers.get('content-language');
}

/** The addresses of a page by language. */
const linksOf = (page: string) =>
  Array.from(page.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g), ([, ...link]) => link);

void describe('language of a page', () => {
  void it('is that of the address, otherwise that of the reader', async () => {
    assert.equal(await languageOf('/pets/1', { 'accept-language': 'de-AT, en;q=0.5' }), 'de');
    assert.equal(await languageOf('/pets/1?language=en', { 'accept-language': 'de' }), 'en');
    assert.equal(await languageOf('/pets/1?language=tlh', { 'accept-language': 'de' }), 'de');
    assert.equal(await languageOf('/pets/1', { 'accept-language': 'fr' }), 'en');
  });

  void it('is that of the organisation for search engines, which name none', async (t) => {
    assert.equal(await languageOf('/'), 'en');
    const there = await startSecuredService(t, { web: true });
    const headers = bearer(await logIn(there.call, 'root'));
    for (const [organisation, language] of [
      [{ country: 'AT' }, 'de'],
      [{ country: 'AT', language: 'en' }, 'en'],
      [{ country: 'FR' }, 'en'],
    ] as const) {
      await there.call('PUT', 'organisation', { json: organisation, headers });
      assert.equal(await languageOf('/', {}, there.origin), language);
      assert.equal(await languageOf('/', { 'accept-language': '*' }, there.origin), language);
      const { text } = await callAs(there.origin, 'GET', 'feed.json');
      assert.equal((JSON.parse(text) as { language: string }).language, language);
    }
  });

  void it('has an address, which the page names for search engines', async () => {
    const expected = [
      ['en', `${origin}/pets/1?language=en`],
      ['de', `${origin}/pets/1?language=de`],
      ['x-default', `${origin}/pets/1`],
    ];
    for (const path of ['/pets/1', '/pets/1?language=de']) assert.deepEqual(linksOf(await pageAt(path)), expected);
    const chosen = metaOf(await pageAt('/pets/1?language=de'));
    assert.equal(chosen.get('canonical'), `${origin}/pets/1?language=de`);
    assert.equal(chosen.get('og:url'), `${origin}/pets/1?language=de`);
    const ofTag = linksOf(await pageAt('/?tag=calm&language=de'));
    assert.equal(ofTag[1]?.[1], `${origin}/?tag=calm&amp;language=de`);
    assert.deepEqual(linksOf(await pageAt('/login')), []);
  });
});

void describe('head of a pet page', () => {
  void it('describes the pet, in the language of the reader', async () => {
    const meta = metaOf(await pageAt('/pets/1?utm_source=mail'));
    assert.equal(meta.get('canonical'), `${origin}/pets/1`);
    assert.equal(meta.get('robots'), undefined);
    assert.equal(meta.get('description'), 'Luna is looking for a home. Cats, calm.');
    assert.equal(metaOf(await pageAt('/pets/1', 'de')).get('description'), 'Luna sucht ein Zuhause. Katzen, ruhig.');
    assert.equal(metaOf(await pageAt('/pets/4')).get('description'), 'Rex was adopted.');
  });

  void it('describes the facts of the profile, and its fee is the price', async () => {
    await call('POST', 'pet', { json: { id: 5, name: 'Nala', status: 'available', tags: [{ name: 'calm' }] } });
    const profile = {
      breedPrimary: 'Boxer',
      breedIsMixed: true,
      sex: 'female',
      birthDate: '2001-01-01',
      weightKg: 27.5,
      colours: ['fawn', 'white'],
      summary: 'Loves water.',
      summaryDe: 'Liebt Wasser.',
      feeAmount: 150,
      feeCurrency: 'EUR',
    };
    const put = (json: object) => call('PUT', 'pet/5/profile', { json });
    assert.equal((await put(profile)).status, 200);
    const page = await pageAt('/pets/5', 'de');
    const years = new Date().getUTCFullYear() - 2001;
    assert.equal(
      metaOf(page).get('description'),
      `Nala sucht ein Zuhause. ${years} Jahre, Boxer-Mischling, weiblich, ruhig. Liebt Wasser.`,
    );
    const [product] = structuredDataIn(page) as readonly { offers?: object }[];
    const { offers, ...facts } = JSON.parse(JSON.stringify(product)) as Record<string, object>;
    assert.partialDeepStrictEqual(offers, { price: 150, priceCurrency: 'EUR' });
    assert.partialDeepStrictEqual(facts, { color: 'Falb, Weiß', weight: { value: 27.5, unitCode: 'KGM' } });
    await put({ ...profile, feeIsWaived: true });
    assert.match(await pageAt('/pets/5'), /"price":0,"priceCurrency":"EUR"/);
    await call('DELETE', 'pet/5');
  });

  void it('has a link preview with the first photo in JPEG', async () => {
    const meta = metaOf(await pageAt('/pets/1'));
    const image = meta.get('og:image') ?? assert.fail();
    assert.deepEqual(
      ['og:title', 'og:url', 'og:type', 'og:site_name'].map((name) => meta.get(name)),
      ['Luna', `${origin}/pets/1`, 'website', 'Menagerie'],
    );
    assert.deepEqual(
      ['og:image:type', 'og:image:width', 'og:image:height', 'og:image:alt'].map((name) => meta.get(name)),
      ['image/jpeg', '90', '60', 'A grey cat'],
    );
    assert.equal(meta.get('twitter:card'), 'summary_large_image');
    const photo = await call('GET', image);
    assert.equal(photo.headers.get('content-type'), 'image/jpeg');
    const withoutPhoto = metaOf(await pageAt('/pets/4'));
    assert.equal(withoutPhoto.get('twitter:card'), 'summary');
    assert.equal(withoutPhoto.has('og:image'), false);
  });

  void it('escapes any name', async () => {
    const page = await pageAt('/pets/2');
    const meta = metaOf(page);
    assert.equal(titleOf(page), `${ESCAPED} - Menagerie`);
    assert.equal(meta.get('og:title'), ESCAPED);
    assert.equal(meta.get('description'), `${ESCAPED} ${ESCAPED}, ${ESCAPED}`);
    assert.equal(page.match(/<script>/g)?.length, 1, 'only the early script');
    const [product] = structuredDataIn(page);
    assert.equal(product?.['name'], HOSTILE);
  });
});

async function canonicalOf(query: string): Promise<string | undefined> {
  return metaOf(await pageAt(`/${query}`)).get('canonical');
}

void describe('head of the catalogue', () => {
  void it('canonical address: without order and unknown parameters', async () => {
    assert.equal(await canonicalOf(''), `${origin}/`);
    assert.equal(await canonicalOf('?sort=name&cursor=abc&utm_source=mail&fbclid=1'), `${origin}/`);
    assert.equal(await canonicalOf('?gclid=2&category=Cats&sort=name'), `${origin}/?category=Cats`);
    assert.equal(await canonicalOf('?tag=calm'), `${origin}/?tag=calm`);
    assert.equal(await canonicalOf(`?tag=${encodeURIComponent('"><script>')}`), `${origin}/?tag=%22%3E%3Cscript%3E`);
  });

  void it('search engines: get the catalogue, a category or a tag, and no other searches', async () => {
    for (const query of ['?text=luna', '?status=sold', '?status=any', '?category=Cats&tag=calm', '?tag=a&tag=b']) {
      const meta = metaOf(await pageAt(`/${query}`));
      assert.equal(meta.get('robots'), 'noindex', query);
      assert.equal(meta.has('canonical'), false, query);
    }
  });

  void it('names the category or tag', async () => {
    const page = await pageAt('/?category=Cats');
    assert.equal(titleOf(page), 'Cats - Menagerie');
    assert.equal(metaOf(page).get('og:title'), 'Cats');
    assert.equal(metaOf(page).get('description'), 'Cats: Pets looking for a home, with photos.');
    assert.equal(titleOf(await pageAt('/', 'de')), 'Unsere Tiere - Menagerie');
  });
});

void describe('other pages', () => {
  const hidden = PAGE_PATHS.filter((path) => path !== '/' && path !== '/pets/$petId');
  for (const path of [...hidden.map((each) => each.replace('$petId', '1').replace('$username', 'ada')), '/nothing'])
    void it(`${path}: not for search engines`, async () => {
      const meta = metaOf(await pageAt(path));
      assert.equal(meta.get('robots'), 'noindex');
      assert.equal(meta.has('canonical'), false);
      assert.equal(meta.has('og:title'), false);
    });
});

void describe('organisation', () => {
  void it('is the site of pages, previews, structured data and feeds', async (t) => {
    const there = await startSecuredService(t, { web: true });
    const headers = bearer(await logIn(there.call, 'root'));
    const contact = { telephone: '+49 30 1234', email: 'office@example.org', website: 'https://paws.example/' };
    await there.call('PUT', 'organisation', { json: { name: 'Paws & "Co" <b>', contact }, headers });
    await there.call('POST', 'pet', { json: { id: 1, name: 'Rex', status: 'available' }, headers });
    const read = async (path: string) =>
      (await callAs(there.origin, 'GET', path, { headers: { accept: 'text/html', 'accept-language': 'en' } })).text;
    const page = await read('pets/1');
    assert.equal(titleOf(page), 'Rex - Paws &amp; &quot;Co&quot; &lt;b&gt;');
    assert.equal(metaOf(page).get('og:site_name'), 'Paws &amp; &quot;Co&quot; &lt;b&gt;');
    const shelter = {
      '@type': 'AnimalShelter',
      '@id': `${there.origin}/#organisation`,
      name: 'Paws & "Co" <b>',
      url: 'https://paws.example/',
      telephone: '+49 30 1234',
      email: 'office@example.org',
    };
    const [product] = structuredDataIn(page);
    assert.deepEqual(product?.['offers'], {
      '@type': 'Offer',
      url: `${there.origin}/pets/1`,
      availability: 'https://schema.org/InStock',
      seller: shelter,
    });
    assert.deepEqual(structuredDataIn(await read(''))[1], shelter);
    assert.match(await read('feed.atom'), /<name>Paws &amp; "Co" &lt;b&gt;<\/name>/);
  });
});

void describe('public URL', () => {
  void it('is in every address, with its path', async (t) => {
    const flags = ['--empty', '--public-url', 'http://127.0.0.1/zoo'];
    const there = await startTestService(t, { web: true, flags });
    await clientOf(there.base)('POST', 'pet', { json: { id: 1, name: 'Rex', category: { name: 'Dogs' } } });
    const { text } = await callAs(there.origin, 'GET', 'pets/1', { headers: { accept: 'text/html' } });
    assert.equal(metaOf(text).get('canonical'), 'http://127.0.0.1/zoo/pets/1');
    const addresses = JSON.stringify(structuredDataIn(text)).match(/"http[^"]*"/g) ?? [];
    for (const address of addresses) assert.match(address, /^"http:\/\/127\.0\.0\.1\/zoo\//);
    assert.ok(addresses.length > 3);
  });
});

/** The members that Google requires, and that the structured data of a page does not have. */
async function missingIn(path: string): Promise<readonly string[]> {
  const errors = await checkStructuredData(structuredDataIn(await pageAt(path)));
  return [...new Set(errors.flatMap(({ fieldNames }) => fieldNames))].toSorted();
}

async function availabilityOf(id: number): Promise<string | undefined> {
  const [product] = structuredDataIn(await pageAt(`/pets/${id}`));
  return (product?.['offers'] as { availability: string } | undefined)?.availability;
}

void describe('structured data', () => {
  void it('pet: a product with its availability, and its place in the catalogue', async () => {
    const things = structuredDataIn(await pageAt('/pets/1'));
    const [product, trail] = things;
    assert.deepEqual(
      things.map((thing) => thing['@type']),
      ['Product', 'BreadcrumbList'],
    );
    assert.deepEqual(product?.['offers'], {
      '@type': 'Offer',
      url: `${origin}/pets/1`,
      availability: 'https://schema.org/InStock',
    });
    assert.deepEqual(trail?.['itemListElement'], [
      { '@type': 'ListItem', position: 1, name: 'Menagerie', item: `${origin}/` },
      { '@type': 'ListItem', position: 2, name: 'Cats', item: `${origin}/?category=Cats` },
      { '@type': 'ListItem', position: 3, name: 'Luna', item: `${origin}/pets/1` },
    ]);
    assert.equal(await availabilityOf(3), 'https://schema.org/LimitedAvailability');
    assert.equal(await availabilityOf(4), 'https://schema.org/SoldOut');
    assert.equal(await availabilityOf(2), undefined, 'no status');
  });

  void it('catalogue: the pets in their order', async () => {
    const [website, list] = structuredDataIn(await pageAt('/?status=any'));
    assert.equal(website?.['@type'], 'WebSite');
    assert.equal(website?.['url'], `${origin}/`);
    const items = list?.['itemListElement'] as readonly { position: number; url: string }[];
    assert.deepEqual(
      items.map(({ position, url }) => [position, url]),
      [4, 3, 2, 1].map((id, index) => [index + 1, `${origin}/pets/${id}`]),
    );
    assert.deepEqual(structuredDataIn(await pageAt('/?text=nothing')), []);
  });

  void it('has all members that Google requires, except the price and missing photos', async () => {
    const price = ['price', 'priceSpecification.price'];
    assert.deepEqual(await missingIn('/'), []);
    assert.deepEqual(await missingIn('/?category=Cats'), []);
    assert.deepEqual(await missingIn('/pets/1'), price);
    assert.deepEqual(await missingIn('/pets/4'), ['image', ...price]);
  });
});

void describe('first view', () => {
  void it('has dates in the format of the country of the organisation, or else of the reader', async (t) => {
    const secured = await startSecuredService(t, { web: true });
    const headers = bearer(await logIn(secured.call, 'root'));
    const put = async (path: string, json: object) => {
      const { status, text } = await secured.call('PUT', path, { headers, json });
      assert.equal(status, 200, text);
    };
    const label = { en: 'Groomed', de: 'Gepflegt' };
    await put('own-fields', { fields: [{ key: 'groomed', type: 'date', label, isPublic: true }] });
    await secured.call('POST', 'pet', { headers, json: { id: 1, name: 'Luna', status: 'available' } });
    await put('pet/1/profile', { own: { groomed: '2026-01-31' } });
    for (const [language, date] of [
      ['en-GB,en;q=0.9', '31 January 2026'],
      ['en-US', 'January 31, 2026'],
      ['en', 'January 31, 2026'],
      ['en-x@posix, de-CH;q=0.5', 'January 31, 2026'],
      ['de-AT', '31. Jänner 2026'],
      ['de', '31. Januar 2026'],
    ] as const) {
      const { text } = await secured.call('GET', `${secured.origin}/pets/1`, {
        headers: { accept: 'text/html', 'accept-language': language },
      });
      assert.ok(text.includes(`>${date}<`), `${language}: ${date}`);
    }
    for (const [country, language, locale, date] of [
      ['US', 'en-GB', 'en-US', 'January 31, 2026'],
      ['GB', 'en-US', 'en-GB', '31 January 2026'],
      ['MX', 'en-US', 'en-001', '31 January 2026'],
      ['AT', 'de-DE', 'de-AT', '31. Jänner 2026'],
    ] as const) {
      await put('organisation', { country });
      const { text } = await secured.call('GET', `${secured.origin}/pets/1`, {
        headers: { accept: 'text/html', 'accept-language': language },
      });
      assert.ok(text.includes(`>${date}<`), `${language} in ${country}: ${date}`);
      assert.ok(text.includes(`"${language.slice(0, 2)}":"${locale}"`), 'the application has the locale');
    }
  });
});
