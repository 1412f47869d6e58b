import type { HttpResponse } from '../support/client.ts';
import type { Model } from './model.ts';
import { facets, lists, statistics } from './counts.ts';
import { withoutTime } from './followers.ts';
import { PHOTOS } from './photos.ts';
import { petText, profileText } from './records.ts';
import { IDS } from './steps.ts';
import { additionOf, eventsFor, hasWord, NAMES_OF, profileFor, type Visible } from './views.ts';
import { differs, WayOut, type Check, type Reader } from './way.ts';

/* After a run, each way out must show each actor exactly what the model allows. */

const EVERY_STATUS = 'status=available,pending,sold';
const LIMIT = 'limit=1000';

/** Returns the first way out that differs from the model. */
export async function checkWaysOut(model: Model, readers: readonly Reader[]): Promise<string | undefined> {
  for (const reader of readers) {
    const way = new WayOut(model, reader);
    for (const check of CHECKS) {
      const complaint = await check(way);
      if (complaint !== undefined) return `${reader.who}: ${complaint}`;
    }
  }
  return undefined;
}

const idsOf = (pets: readonly Visible[]) => pets.map(({ id }) => id);
const textsOf = (pets: readonly Visible[]) => `[${pets.map(({ id, fields }) => petText(id, fields)).join()}]`;

function idsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, id = '']) => id);
}

const CHECKS: readonly Check[] = [
  eachPet,
  photosByAddress,
  async (way) => {
    const path = `/v2/pet/findByStatus?${EVERY_STATUS}`;
    const withStatus = way.pets.filter(({ fields }) => fields.status !== undefined);
    return differs(path, (await way.read(path)).text, textsOf(withStatus));
  },
  async (way) => {
    const path = '/v2/pet/findByTags?tags=zqzqcalm,zqzqshy';
    const tagged = way.pets.filter((pet) =>
      NAMES_OF.tags(pet).some((name) => name === 'zqzqcalm' || name === 'zqzqshy'),
    );
    return differs(path, (await way.read(path)).text, textsOf(tagged));
  },
  searches,
  pages,
  facets,
  lists,
  statistics,
  discovery,
  exports,
  histories,
];

async function eachPet(way: WayOut): Promise<string | undefined> {
  for (const id of new Set([...IDS, ...way.model.pets.keys()])) {
    const pet = way.pets.find((one) => one.id === id);
    const path = `/v2/pet/${id}`;
    const found = await way.read(path);
    const expected = pet === undefined ? 404 : 200;
    const status = differs(path, found.status, expected);
    if (status !== undefined) return status;
    const [profile, photos, page] = await Promise.all(
      [`${path}/profile`, `${path}/photos`, `/pets/${id}`].map((each) => way.read(each)),
    );
    if (profile?.status !== expected || photos?.status !== expected) return `${path}: its profile or photos`;
    // The page of a draft is not found, also for staff: it does not depend on who reads it.
    const isListed = way.published.some((one) => one.id === id);
    if (page?.status !== (isListed ? 200 : 404) && page?.status !== 200) return `/pets/${id}: ${page?.status}`;
    if (pet === undefined) continue;
    const wrong =
      differs(path, found.text, petText(id, pet.fields)) ??
      differs(path, found.headers.get('etag'), `"${pet.version}"`) ??
      differs(`${path}/photos`, idsIn(photos.text, /"url":"[^"]+\/photo\/([\da-f]{64})"/g), pet.fields.photos ?? []) ??
      differs(`${path}/profile`, profile.text, profileText(profileFor(way.isStaff, pet.profile)));
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** A photo is for those who see a pet that has it now. Staff may also see those of the past. */
async function photosByAddress(way: WayOut): Promise<string | undefined> {
  for (const { digest } of PHOTOS)
    for (const path of [`/v2/photo/${digest}`, `/v2/photo/${digest}/small`]) {
      const { status } = await way.read(path);
      const isOfPet = way.pets.some(({ fields }) => fields.photos?.includes(digest));
      if (status !== (isOfPet ? 200 : 404) && !(way.isStaff && status === 200)) return `${path}: ${status}`;
    }
  return undefined;
}

async function searches(way: WayOut): Promise<string | undefined> {
  const byAddition = way.pets.toSorted((a, b) => (additionOf(a) > additionOf(b) ? -1 : 1));
  const asked: [string, readonly Visible[]][] = [
    [`?${LIMIT}&include=profile&covers=true`, way.pets],
    [`?${LIMIT}&sort=newest`, byAddition],
    [`?status=available,none&sort=id`, way.pets.filter(({ fields }) => /none|available/.test(fields.status ?? 'none'))],
    ['?text=zqzqrex&sort=id', way.pets.filter(hasWord('zqzqrex'))],
    ['?text=zqzqx&sort=id', way.pets.filter(hasWord('zqzqx'))],
    ['?tags=zqzqcalm', way.pets.filter((pet) => NAMES_OF.tags(pet).includes('zqzqcalm'))],
    ['?category=zqzqshy', way.pets.filter((pet) => NAMES_OF.categories(pet).includes('zqzqshy'))],
    ['?species=dog', way.pets.filter(({ profile }) => profile.species === 'dog')],
    ['?breed=zqzqboxer', way.pets.filter(({ profile }) => profile.breedPrimary === 'zqzqboxer')],
    ['?published=true', way.published],
  ];
  for (const [query, expected] of asked) {
    const path = `/v2/pet${query}`;
    const { text, status } = await way.read(path);
    if (status !== 200) return `${path}: ${status} ${text}`;
    const found = JSON.parse(text) as { total: number; correctedText?: string };
    // If no pet has a word, the service searches for a similar one.
    if (expected.length === 0 && found.correctedText !== undefined) continue;
    const wrong =
      differs(path, found.total, expected.length) ??
      differs(path, idsIn(text, /\{"id":(\d+)/g), idsOf(expected)) ??
      (text.includes(textsOf(expected)) ? undefined : `${path}: ${text}`);
    if (wrong !== undefined) return wrong;
  }
  const hidden = way.isStaff ? 200 : 403;
  return differs('/v2/pet?published=false', (await way.read('/v2/pet?published=false')).status, hidden);
}

/** The pages of a list are the list. */
async function pages(way: WayOut): Promise<string | undefined> {
  for (const first of ['/v2/pet?limit=1&sort=name', `/v2/pet/findByStatus?${EVERY_STATUS}&limit=1`]) {
    const whole = idsIn((await way.read(first.replace('limit=1', 'limit=100'))).text, /\{"id":(\d+)/g);
    const found: string[] = [];
    for (let path: string | undefined = first; path !== undefined;) {
      const { text, headers }: HttpResponse = await way.read(path);
      found.push(...idsIn(text, /\{"id":(\d+)/g));
      path = /<https?:\/\/[^/]+([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    const wrong = differs(first, found, whole);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Feeds, sitemaps and frames are the same for everyone. */
async function discovery(way: WayOut): Promise<string | undefined> {
  const wanted = way.published.filter(({ fields }) => fields.status !== 'sold');
  const newest = way.published.toSorted((a, b) => (additionOf(a) > additionOf(b) ? -1 : 1));
  const asked: [string, RegExp, readonly Visible[]][] = [
    ['/feed.json?status=any', /"id":"[^"]+\/pets\/(\d+)"/g, newest],
    ['/sitemap-1.xml', /<loc>[^<]+\/pets\/(\d+)<\/loc>/g, wanted],
  ];
  for (const [path, pattern, expected] of asked) {
    const wrong = differs(path, idsIn((await way.read(path)).text, pattern), idsOf(expected));
    if (wrong !== undefined) return wrong;
  }
  for (const path of ['/feed.atom', '/sitemap.xml', '/embed/pets?limit=24', '/', '/?sort=newest', '/llms.txt']) {
    const { status } = await way.read(path);
    if (status !== 200) return `${path}: ${status}`;
  }
  return undefined;
}

async function exports(way: WayOut): Promise<string | undefined> {
  const path = '/v2/export/pets?include=profile';
  const lines = way.pets.map(({ id, fields, profile }) => {
    const text = profileText(profileFor(way.isStaff, profile));
    return `${petText(id, fields).slice(0, -1)},"profile":${text}}`;
  });
  await way.read('/v2/export/pets?format=csv&include=profile');
  return differs(path, linesOf((await way.read(path)).text), lines);
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

async function histories(way: WayOut): Promise<string | undefined> {
  const path = '/v2/export/pet-history';
  const found = linesOf((await way.read(path, 'past')).text).map(withoutTime);
  const expected = eventsFor(way.model, way.isStaff).map(({ line }) => line);
  const wrong = differs(path, found, expected);
  if (wrong !== undefined || !way.isStaff) return wrong;
  for (const [id, versions] of way.model.pets) {
    const history = await way.read(`/v2/pet/${id}/history?limit=1000`, 'past');
    const entries = [
      ...history.text.matchAll(/\{"version":(\d+),"at":"[^"]+","action":"(\w+)","actor":\{"id":(\d+),"name":"?(\w+)/g),
    ];
    const expected = versions
      .toReversed()
      .map(({ version, action, by }) => [String(version), action, by, way.model.accounts.nameOf(by) ?? 'null']);
    const differing = differs(
      `/v2/pet/${id}/history`,
      entries.map(([, ...entry]) => entry),
      expected,
    );
    if (differing !== undefined) return differing;
  }
  return undefined;
}
