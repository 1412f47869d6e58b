import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { pino } from 'pino';
import { createCheck } from '../../src/api/check.ts';
import { ListingFeed } from '../../src/features/listings/api/listing-feed.ts';
import { assertRefused, type CallOptions, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { STAMP } from '../support/changes.ts';
import { startComposed } from '../support/composed-service.ts';
import { tokens } from '../../src/services/crypto/secrets.ts';

/* Feeds for listing sites: their keys, and which pets and which of their values leave the service. */

const logged: string[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
const { call, origin } = await startSecuredService({ after }, { log, flags: ['--empty'] });
const root = bearer(await logIn(call, 'root'));
const edna = bearer(await logIn(call, 'edna'));
const SITES = ['petfinder', 'adoptapet', 'rescuegroups', 'open'] as const;
type Site = (typeof SITES)[number];
const FILES: Record<Site, string> = {
  petfinder: 'pets.csv',
  adoptapet: 'pets.csv',
  rescuegroups: 'pets.csv',
  open: 'pets.json',
};

async function ok(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const response = await call(method, path, { ...options, headers: { ...root, ...options.headers } });
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

const keys = new Map<Site, string>();
for (const site of SITES) {
  await ok('PATCH', `admin/listings/${site}`, { json: { on: true } });
  keys.set(site, (JSON.parse((await ok('POST', `admin/listings/${site}/key`)).text) as { key: string }).key);
}

const COMPLETE = { species: 'cat', breedPrimary: 'Bengal', sex: 'male', size: 'M', birthDate: '2024-01-31' };

let count = 0;

/** A pet that every site takes. */
async function newPet(profile: object = {}, pet: object = {}): Promise<string> {
  const { text } = await ok('POST', 'pet', { json: { name: `Rex ${++count}`, status: 'available', ...pet } });
  const id = String((JSON.parse(text) as { id: number }).id);
  await ok('PUT', `pet/${id}/profile`, { json: { ...COMPLETE, ...profile } });
  return id;
}

function feed(site: Site, key = keys.get(site)): Promise<HttpResponse> {
  return call('GET', `feeds/${site}/${FILES[site]}?key=${key}`);
}

async function openFeed(): Promise<ListingFeed> {
  return createCheck(ListingFeed)(JSON.parse((await feed('open')).text));
}

/** The address of the photo of the newest pet, as Petfinder gets it. */
async function newestPhoto(): Promise<string | undefined> {
  const row = (await feed('petfinder')).text.split('\n').find((line) => line.includes(`"Rex ${count}"`));
  return /https?:\/\/[^",]+format=jpeg&v=[^",]+/.exec(row ?? '')?.[0];
}

/** The ids in the feeds of all sites. */
async function listedIn(): Promise<Record<Site, readonly string[]>> {
  const idsIn = async (site: Site) => {
    if (site === 'open') return (await openFeed()).pets.map(({ id }) => String(id));
    const rows: string[][] = parse((await feed(site)).text);
    return rows.slice(site === 'adoptapet' ? 0 : 1).map(([id = '']) => id);
  };
  const [petfinder, adoptapet, rescuegroups, open] = [
    await idsIn('petfinder'),
    await idsIn('adoptapet'),
    await idsIn('rescuegroups'),
    await idsIn('open'),
  ];
  return { petfinder, adoptapet, rescuegroups, open };
}

async function assertListed(id: string, sites: readonly Site[], message: string): Promise<void> {
  const listed = await listedIn();
  assert.deepEqual(
    SITES.filter((site) => listed[site].includes(id)),
    sites,
    message,
  );
}

void describe('listing feeds: the key', () => {
  void it('is required, belongs to one site, and ends when it is replaced or revoked', async () => {
    const key = keys.get('open') ?? '';
    assert.match(key, /^mgf_[\w-]{43}$/);
    for (const wrong of ['', 'undefined', `${key}x`, keys.get('petfinder') ?? ''])
      assertRefused(await feed('open', wrong), 401, wrong);
    assertRefused(await call('GET', 'feeds/open/pets.json'), 401);
    assertRefused(await call('GET', 'feeds/open/pets.json', { headers: root }), 401);
    assertRefused(await call('GET', `feeds/open/pets.json?key=${key}&key=${key}`), 401);
    assert.equal((await feed('open')).headers.get('cache-control'), 'no-store');
    const { text } = await ok('POST', 'admin/listings/open/key');
    const created = JSON.parse(text) as { key: string; urls: string[] };
    assert.deepEqual(created.urls, [`${origin}/v2/feeds/open/pets.json?key=${created.key}`]);
    assertRefused(await feed('open'), 401);
    keys.set('open', created.key);
    assert.equal((await feed('open')).status, 200);
    await ok('DELETE', 'admin/listings/open/key');
    assertRefused(await feed('open'), 401);
    keys.set('open', (JSON.parse((await ok('POST', 'admin/listings/open/key')).text) as { key: string }).key);
  });

  void it('is neither shown again nor in the log or the audit log', async () => {
    const shown = [(await ok('GET', 'admin/listings')).text, (await ok('GET', 'admin/audit?action=listing')).text];
    assert.match(shown[1] ?? '', /listing\.key-created/);
    assert.ok(logged.some((line) => line.includes('/v2/feeds/')));
    for (const key of keys.values())
      for (const text of [...shown, ...logged]) assert.ok(!text.includes(key) && !text.includes(key.slice(4, 24)));
  });

  void it('opens nothing else', async () => {
    const key = keys.get('open') ?? '';
    assertRefused(await call('GET', 'admin/listings', { headers: { api_key: key } }), 401);
    assertRefused(await call('GET', 'feeds/open/pets.csv', { headers: bearer(key) }), 404);
    assertRefused(await call('GET', `feeds/nowhere/pets.csv?key=${key}`), 404);
    assertRefused(await call('GET', `feeds/open/pets.json?Key=${key}`), 400);
    assertRefused(await call('GET', 'admin/listings', { headers: edna }), 403);
  });
});

void describe('listing feeds: their pets', () => {
  void it('leave all feeds at once when they are adopted, unpublished or deleted, and return', async () => {
    const id = await newPet();
    await assertListed(id, SITES, 'new');
    await ok('PATCH', `pet/${id}`, { json: { status: 'sold' } });
    await assertListed(id, [], 'adopted');
    await ok('PATCH', `pet/${id}`, { json: { status: 'available' } });
    await assertListed(id, SITES, 'available again');
    await ok('PATCH', `pet/${id}/profile`, { json: { isPublished: false } });
    await assertListed(id, [], 'unpublished');
    await ok('PATCH', `pet/${id}/profile`, { json: { isPublished: true } });
    await ok('PATCH', `pet/${id}`, { json: { status: 'pending' } });
    await assertListed(id, ['petfinder', 'rescuegroups', 'open'], 'reserved');
    await ok('DELETE', `pet/${id}`);
    await assertListed(id, [], 'deleted');
  });

  void it('are not those that a site would refuse, or that staff keeps out', async () => {
    const id = await newPet({ breedPrimary: 'Wolpertinger' });
    await assertListed(id, ['open'], 'unknown breed');
    await ok('PATCH', `pet/${id}/profile`, { json: { breedPrimary: 'Bengal' } });
    await ok('PUT', `admin/listings/adoptapet/pets/${id}`, { json: { listed: false } });
    await assertListed(id, ['petfinder', 'rescuegroups', 'open'], 'kept out');
    await ok('PUT', `admin/listings/adoptapet/pets/${id}`, { json: { listed: true } });
    await assertListed(id, SITES, 'let in');
    assertRefused(
      await call('PUT', 'admin/listings/open/pets/987654321', { headers: root, json: { listed: false } }),
      404,
    );
  });

  void it('are none if the site is off, so that no pet stays listed', async () => {
    const id = await newPet();
    await ok('PATCH', 'admin/listings/petfinder', { json: { on: false } });
    await assertListed(id, ['adoptapet', 'rescuegroups', 'open'], 'off');
    assert.deepEqual((await listedIn()).petfinder, []);
    assert.match((await feed('petfinder')).text, /^"ID","Internal",[^\n]+\n$/);
    await ok('PATCH', 'admin/listings/petfinder', { json: { on: true } });
    await assertListed(id, SITES, 'on');
  });

  void it('have photos at other addresses when a pet returns, however it had left', async () => {
    const id = await newPet();
    await ok('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width: 900, height: 600 })));
    const first = await newestPhoto();
    assert.ok(first !== undefined && (await fetch(first)).status === 200);
    assert.equal(await newestPhoto(), first, 'the same stay');
    const ways: readonly (readonly [leave: () => Promise<unknown>, comeBack: () => Promise<unknown>])[] = [
      [
        () => ok('PATCH', `pet/${id}`, { json: { status: 'sold' } }),
        () => ok('PATCH', `pet/${id}`, { json: { status: 'available' } }),
      ],
      [
        () => ok('PUT', `admin/listings/petfinder/pets/${id}`, { json: { listed: false } }),
        () => ok('PUT', `admin/listings/petfinder/pets/${id}`, { json: { listed: true } }),
      ],
      [
        () => ok('PATCH', 'admin/listings/petfinder', { json: { on: false } }),
        () => ok('PATCH', 'admin/listings/petfinder', { json: { on: true } }),
      ],
    ];
    const seen: (string | undefined)[] = [first];
    for (const [leave, comeBack] of ways) {
      await leave();
      assert.equal(await newestPhoto(), undefined);
      await comeBack();
      const address = await newestPhoto();
      assert.ok(address !== undefined && !seen.includes(address), String(address));
      seen.push(address);
    }
  });

  void it('have photos at addresses that change with the content', async () => {
    const id = await newPet();
    const photos = async () => (await openFeed()).pets.find((pet) => String(pet.id) === id)?.photos ?? [];
    await ok('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width: 640, height: 480 })));
    const [first] = await photos();
    assert.match(
      first?.url ?? '',
      new RegExp(`^${origin}/v2/photo/[0-9a-f]{64}/large\\?format=jpeg&v=[0-9a-f]{12}-[0-9a-z]+$`),
    );
    assert.deepEqual([first?.width, first?.height], [640, 480]);
    const image = await fetch(first?.url ?? '');
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/jpeg']);
    await image.body?.cancel();
    await ok('DELETE', `pet/${id}/photos/${/[0-9a-f]{64}/.exec(first?.url ?? '')?.[0]}`);
    await ok('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width: 641, height: 480 })));
    const [second] = await photos();
    assert.notEqual(new URL(second?.url ?? '').searchParams.get('v'), new URL(first?.url ?? '').searchParams.get('v'));
  });

  void it('have stories without Markdown', async () => {
    const id = await newPet({ description: '# Hello\n\nA *calm* [cat](https://example.org).\n\n- one\n- two' });
    const { pets } = await openFeed();
    const found = pets.find((pet) => String(pet.id) === id);
    assert.equal(found?.descriptionText, 'Hello\n\nA calm cat.\n- one\n- two');
  });
});

void describe('listing feeds: private values', () => {
  const OWN_FIELDS = ['secret', 'known'].map((key) => ({
    key,
    type: 'text',
    label: { en: key, de: key },
    isPublic: key === 'known',
  }));
  const PRIVATE = {
    microchip: 'CANARY-chip',
    medicalNote: 'CANARY-note',
    holdUntil: '2031-12-31',
    unit: 'CANARY-unit',
  };

  void it('never leave', async () => {
    await ok('PUT', 'own-fields', { json: { fields: OWN_FIELDS } });
    const own = { secret: 'CANARY-own', known: 'visible-own' };
    await newPet({ ...PRIVATE, own });
    const texts = await Promise.all(SITES.map(async (site) => (await feed(site)).text));
    for (const text of texts) assert.doesNotMatch(text, /CANARY|2031-12-31/);
    assert.match(texts[3] ?? '', /"own":\{"known":"visible-own"\}/);
  });

  void it('are not in the pages of administration either', async () => {
    assert.doesNotMatch((await ok('GET', 'admin/listings/open/pets')).text, /CANARY/);
  });
});

interface JudgedPet {
  id: number;
  refused: boolean;
  listed: boolean;
  problems: object[];
  profile: object;
}

void describe('listing administration', () => {
  void it('says what each site refuses, before it is sent', async () => {
    const id = await newPet({ breedPrimary: 'Wolpertinger', sex: null, colours: ['pink'] }, { status: 'pending' });
    const pets = async (site: Site) => {
      const { text } = await ok('GET', `admin/listings/${site}/pets?limit=1000`);
      return (JSON.parse(text) as JudgedPet[]).find((pet) => String(pet.id) === id);
    };
    const atPetfinder = await pets('petfinder');
    assert.deepEqual([atPetfinder?.refused, atPetfinder?.listed], [true, true]);
    assert.deepEqual(atPetfinder?.problems, [
      { code: 'breed-unknown', refused: true, value: 'Wolpertinger', field: 'breedPrimary' },
      { code: 'sex-missing', refused: true, field: 'sex' },
      { code: 'photo-missing', refused: false },
      { code: 'colour-unknown', refused: false, value: 'pink', field: 'colours' },
      { code: 'story-missing', refused: false, field: 'description' },
    ]);
    const { species, size, birthDate } = COMPLETE;
    assert.deepEqual(atPetfinder?.profile, { species, breedPrimary: 'Wolpertinger', birthDate, size });
    assert.deepEqual([(await pets('open'))?.refused, (await pets('open'))?.problems], [false, []]);
  });

  void it('has pages, without drafts and adopted pets', async () => {
    const draft = await newPet({ isPublished: false });
    const adopted = await newPet({}, { status: 'sold' });
    const ids: string[] = [];
    let next: string | undefined = `${origin}/v2/admin/listings/open/pets?limit=2`;
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: root });
      assert.equal(response.status, 200);
      ids.push(...((await response.json()) as { id: number }[]).map(({ id }) => String(id)));
      next = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
    assert.ok(ids.length > 2);
    assert.deepEqual(ids, [...new Set(ids)]);
    assert.ok(!ids.includes(draft) && !ids.includes(adopted));
  });
});

void it('many pets: feeds and the page of a site let other requests run after each pet', async (t) => {
  const pets = 300;
  const pet = { name: 'Rex', status: 'available', profile: { ...COMPLETE, description: '**Good** dog' } };
  const lines = `${JSON.stringify({ op: 'create', pet })}\n`.repeat(pets);
  const headers = { 'content-type': 'application/x-ndjson' };
  const created = await ok('POST', 'bulk', { headers, body: Buffer.from(lines) });
  assert.equal(created.text.split('"status":200').length - 1, pets, created.text.slice(0, 1000));
  let iterations = 0;
  let counting = setImmediate(function count() {
    iterations++;
    counting = setImmediate(count);
  });
  t.after(() => clearImmediate(counting));
  for (const path of [`feeds/open/pets.json?key=${keys.get('open')}`, 'admin/listings/open/pets?limit=1000']) {
    iterations = 0;
    const { text } = await ok('GET', path);
    assert.equal(text.split('"name":"Rex"').length - 1, pets, text.slice(0, 1000));
    assert.ok(iterations >= pets, `${path}: ${iterations} iterations of the event loop`);
  }
});

void it('open access: private values do not leave either, although everyone is staff', async () => {
  const { call: open, stores } = await startComposed({ after }, { flags: ['--empty'] });
  const listing = { site: 'open', stamp: STAMP } as const;
  await stores.listings.apply({ ...listing, kind: 'switch', isOn: true });
  await stores.listings.apply({ ...listing, kind: 'set-key', digest: tokens.digest('mgf_known') });
  await open('POST', 'pet', { json: { id: 5, name: 'Rex', status: 'available' } });
  await open('PUT', 'pet/5/profile', { json: { ...COMPLETE, microchip: 'CANARY' } });
  assert.match((await open('GET', 'pet/5/profile')).text, /CANARY/);
  const { text } = await open('GET', 'feeds/open/pets.json?key=mgf_known');
  assert.match(text, /"name":"Rex"/);
  assert.doesNotMatch(text, /CANARY|microchip/);
});
