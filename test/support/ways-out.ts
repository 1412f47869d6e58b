import assert from 'node:assert/strict';
import type { ToolName } from '../../src/features/agents/api/tools.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { PAGE_PATHS } from '../../src/api/pages.ts';
import type { Call, CallOptions } from './client.ts';
import { BEGINNING, IDS, PERSONAL, PUBLIC_WORD, secretsIn, type Planted } from './planted-secrets.ts';

/* The ways out of the service over HTTP: what clients read without a permission. */

type Rows<Name extends string> = Readonly<Record<Name, readonly string[]>>;

export const EVERY_STATUS = 'status=available&status=pending&status=sold';
const SEARCHES = ['', `?${EVERY_STATUS}&include=profile&covers=true&limit=100`, `?text=${BEGINNING}`, '?tags=calm'];

/** The queries of operations that read without a permission; those with IDs in the path are called for each pet. */
export const OPERATIONS: Partial<Rows<OperationId>> = {
  findPetsByStatus: [`?${EVERY_STATUS}`],
  findPetsByTags: ['?tags=calm'],
  getPetById: [''],
  getPetProfile: [''],
  listPetPhotos: [''],
  getEnquiryForm: [''],
  getPhoto: [''],
  getResizedPhoto: ['?format=jpeg'],
  findPets: [...SEARCHES, '?include=facts', '?sort=newest', '?updatedSince=2020-01-01'],
  countFacets: [...SEARCHES.slice(2), '', `?${EVERY_STATUS}`],
  listSuggestions: [`?text=${BEGINNING}`],
  listTags: ['', `?text=${BEGINNING}`],
  listCategories: ['', `?text=${BEGINNING}`],
  getStatistics: [''],
  exportPets: ['', '?include=profile', '?format=csv', '?format=csv&include=profile'],
  exportPetHistory: [''],
  getOrganisation: [''],
  getOwnFields: [''],
  getEmbedding: [''],
  getOpenApiDocument: [''],
  getSwaggerDocument: [''],
  getArazzoDocument: [''],
  listProviders: [''],
};

/** Operations that read without a permission, and are no rows above. */
export const OTHER_OPERATIONS: ReadonlySet<string> = new Set<OperationId>([
  // They log in and out, and return nothing else.
  ...(['loginUser', 'logoutUser'] as const),
  // Below.
  ...(['streamEvents', 'getListingFeed'] as const),
  // The token is the permission, and what they return belongs to its owner.
  ...(['getPlayground', 'listPlaygroundRequests', 'exportPlaygroundRequests'] as const),
  ...(['getPlaygroundFaults', 'getPlaygroundBugs'] as const),
]);

/** Routes beside operations, by their first argument in the source, with the paths to request. */
export const ROUTES: Rows<string> = {
  "'/'": ['/', `/?${EVERY_STATUS}`, '/?sort=newest', `/?text=${BEGINNING}`],
  "path.replaceAll('$'": [],
  path: ['/feed.atom', '/feed.json', `/feed.atom?${EVERY_STATUS}`, `/feed.json?text=${BEGINNING}`],
  SITEMAP_PATH: ['/sitemap.xml'],
  [String.raw`'/sitemap-:number(^\\d{1`]: ['/sitemap-1.xml'],
  "'/llms.txt'": ['/llms.txt'],
  "'/robots.txt'": ['/robots.txt'],
  EMBED_PATH: ['/embed/pets', `/embed/pets?${EVERY_STATUS}`, `/embed/pets?text=${BEGINNING}`],
  '`${EMBED_PATH}/:petId`': Object.values(IDS).map((id) => `/embed/pets/${id}`),
  OEMBED_PATH: Object.values(IDS).flatMap((id) => [`/oembed?url=SITE/pets/${id}`, '/oembed?url=SITE/&format=xml']),
  CATALOG_PATH: ['/.well-known/api-catalog'],
  "'/readyz'": ['/readyz'],
  METRICS_PATH: ['/metrics'],
  // They have no data, or none without a login.
  ...Object.fromEntries(
    ['EMBED_SCRIPT_PATH', 'SECURITY_PATH', "'/livez'", "'/v2'", 'DOCS_PATH', 'METADATA_PATH', 'RESOURCE_PATH'].map(
      (name) => [name, []],
    ),
  ),
  ...Object.fromEntries(
    [
      "'/assets/:name'",
      'RESET_PATH',
      'PATH',
      'STOP_ROUTE',
      "'/sign-in/:provider'",
      "'/sign-in/:provider/callback'",
    ].map((name) => [name, []]),
  ),
};

/** Whether the response is the same for everyone, so also for staff. */
export function isSameForAll(path: string): boolean {
  return /^\/(?:feed|sitemap|embed|oembed|llms)/.test(path);
}

const OF_PET = Object.values(IDS).map((id) => ({ id: String(id) }));
export const TOOLS: Readonly<Record<ToolName, readonly object[]>> = {
  search_pets: [{}, { text: BEGINNING }, { tags: ['calm'] }, { status: ['sold'] }],
  get_pet: OF_PET,
  get_statistics: [{}],
  get_pet_history: OF_PET,
  add_pet: [],
  update_pet: OF_PET.map(({ id }) => ({ id, status: 'pending' })),
  delete_pet: OF_PET,
  add_pet_photo: OF_PET.map(({ id }) => ({ id, url: 'https://photos.example/a.jpg' })),
};

/** The past, and what follows changes. */
const OF_PAST = /^(?:\/v2\/export\/pet-history|events|webhooks)/;

type Headers = NonNullable<CallOptions['headers']>;

/** A catalogue with the secrets, and those who read it. */
export interface Place {
  origin: string;
  /** How it calls itself. */
  site: string;
  /** A client of the API. */
  call: Call;
  planted: Planted;
  /** The headers of those who may not read secrets, by name. */
  readers: Readonly<Record<string, Headers>>;
  staff: Headers;
}

export function assertNoSecrets(way: string, text: string, planted: Planted): void {
  const secrets = [...planted.secrets, ...PERSONAL, ...(OF_PAST.test(way) ? [] : planted.ofPast)];
  assert.deepEqual(secretsIn(text, way, secrets), [], `${way}: ${text.slice(0, 2000)}`);
}

/**
 * Asserts that no response has a secret.
 * @returns the paths whose responses show the pet that everyone sees
 */
export async function readAll(
  { origin, call, planted }: Place,
  paths: readonly string[],
  headers: Headers,
): Promise<readonly string[]> {
  const showing: string[] = [];
  for (const path of paths) {
    const accept = path.startsWith('/v2/') ? {} : { accept: 'text/html' };
    const response = await call('GET', origin + path, { headers: { ...accept, ...headers } });
    assert.ok(response.status < 500, `${path}: ${response.text}`);
    assertNoSecrets(path, response.text + JSON.stringify([...response.headers]), planted);
    if (response.text.includes(PUBLIC_WORD)) showing.push(path);
  }
  return showing;
}

export function routesOf({ site }: Place): readonly string[] {
  return Object.values(ROUTES)
    .flat()
    .map((path) => path.replace('SITE', encodeURIComponent(site)));
}

function pathsOf(operation: OperationId, { photos }: Planted): readonly string[] {
  const { path } = ENDPOINTS[operation];
  const values = path.includes('{petId}') ? Object.values(IDS).map(String) : Object.values(photos);
  const paths = /\{/.test(path) ? values.map((value) => path.replace(/\{petId\}|\{digest\}/, value)) : [path];
  return paths.map((each) => each.replace('{size}', 'small'));
}

/** All that is read over HTTP without a permission. */
export async function readEverything(place: Place): Promise<void> {
  const seen: string[] = [];
  const pages = PAGE_PATHS.flatMap((path) =>
    path.includes('$petId')
      ? Object.values(IDS).map((id) => path.replace('$petId', String(id)))
      : [path.replace(/\$\w+/, 'x')],
  );
  const operations = (Object.entries(OPERATIONS) as [OperationId, readonly string[]][]).flatMap(
    ([operation, queries]) => pathsOf(operation, place.planted).flatMap((path) => queries.map((query) => path + query)),
  );
  const routes = routesOf(place);
  for (const headers of Object.values(place.readers)) seen.push(...(await readAll(place, operations, headers)));
  seen.push(...(await readAll(place, [...pages, ...routes], {})));
  seen.push(...(await readAll(place, routes.filter(isSameForAll), place.staff)));
  assert.ok(seen.length > 20, seen.join());
}
