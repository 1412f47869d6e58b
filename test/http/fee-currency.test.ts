import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/*
 * A fee without a currency is in that of the organisation. Without either, no visitor and no program gets the amount.
 */

const { call, origin } = await startSecuredService({ after }, { web: true });
const root = bearer(await logIn(call, 'root'));

async function ok(method: string, path: string, json?: object, headers: object = root) {
  const response = await call(method, path, { headers: { ...headers }, ...(json !== undefined && { json }) });
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

const idOf = ({ text }: { text: string }) => /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text);
const id = idOf(await ok('POST', 'pet', { name: 'Luna', status: 'available' }));
const free = idOf(await ok('POST', 'pet', { name: 'Max', status: 'available' }));
const FACTS = { species: 'cat', breedPrimary: 'Bengal', sex: 'male', size: 'M', birthDate: '2024-01-31' };
await ok('PUT', `pet/${id}/profile`, { ...FACTS, feeAmount: 1234.5, feeIsWaived: false });
await ok('PUT', `pet/${free}/profile`, { ...FACTS, feeAmount: 0 });

async function addressOf(site: 'open' | 'petfinder'): Promise<string> {
  await ok('PATCH', `admin/listings/${site}`, { on: true });
  const { urls } = JSON.parse((await ok('POST', `admin/listings/${site}/key`)).text) as { urls: string[] };
  return urls[0] ?? assert.fail();
}

const [openFeed, petfinder] = [await addressOf('open'), await addressOf('petfinder')];

async function page(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await fetch(`${origin}${path}`, { headers })).text();
}

/** What everyone may read of the pet, by its place. */
async function readPublic(): Promise<Readonly<Record<string, string>>> {
  const german = { 'accept-language': 'de' };
  return {
    profile: (await ok('GET', `pet/${id}/profile`, undefined, {})).text,
    search: (await ok('GET', 'pet?include=profile', undefined, {})).text,
    export: (await ok('GET', 'export/pets?include=profile', undefined, {})).text,
    table: (await ok('GET', 'export/pets?include=profile&format=csv', undefined, {})).text,
    page: await page(`/pets/${id}`),
    germanPage: await page(`/pets/${id}`, german),
    embedded: await page(`/embed/pets/${id}`),
    openFeed: await (await fetch(openFeed)).text(),
    petfinder: await (await fetch(petfinder)).text(),
  };
}

const ANY_FORM = /1[.,]?234[.,]5/;

void test('fee: without any currency, nobody but staff reads the amount', async () => {
  for (const [place, text] of Object.entries(await readPublic())) assert.doesNotMatch(text, ANY_FORM, place);
  assert.match((await ok('GET', `pet/${id}/profile`)).text, /"feeAmount":1234.5/);
  assert.match((await ok('GET', `pet/${free}/profile`, undefined, {})).text, /"feeAmount":0,|"feeAmount":0}/);
  const { text } = await ok('GET', 'admin/listings/petfinder/pets');
  assert.match(text, /"fee-currency-missing"/);
});

void test('fee: gets the currency of the organisation in each place, and another entity tag', async () => {
  const etag = (await ok('GET', `pet/${id}/profile`, undefined, {})).headers.get('etag');
  const staffTag = (await ok('GET', `pet/${id}/profile`)).headers.get('etag');
  await ok('PUT', 'organisation', { currency: 'EUR' });
  const found = await readPublic();
  for (const place of ['profile', 'search', 'export', 'openFeed'])
    assert.match(found[place] ?? '', /"feeAmount":1234.5,(?:.*,)?"feeCurrency":"EUR"/, place);
  assert.match(found['table'] ?? '', /,1234.5,EUR,/);
  assert.match(found['page'] ?? '', /"price":1234.5,"priceCurrency":"EUR"/);
  assert.match(found['page'] ?? '', /€1,234\.50/);
  assert.match(found['germanPage'] ?? '', /1\.234,50\s€/);
  // The site reads dollars only.
  assert.doesNotMatch(found['petfinder'] ?? '', ANY_FORM);
  const anonymous = await call('GET', `pet/${id}/profile`, { headers: { 'if-none-match': etag ?? '' } });
  assert.equal(anonymous.status, 200);
  const staff = await ok('GET', `pet/${id}/profile`);
  assert.match(staff.text, /"feeCurrency":"EUR"/);
  // The tag is the version, for `If-Match`.
  assert.equal(staff.headers.get('etag'), staffTag);
});

void test('fee: its own currency wins, and listing sites get dollars', async () => {
  await ok('PUT', 'organisation', { currency: 'EUR' });
  const { text } = await ok('PATCH', `pet/${id}/profile`, { feeCurrency: 'USD' });
  assert.match(text, /"feeCurrency":"USD"/);
  assert.match((await readPublic())['profile'] ?? '', /"feeCurrency":"USD"/);
  const rows: Record<string, string>[] = parse(await (await fetch(petfinder)).text(), { columns: true });
  assert.equal(rows.find(({ ID }) => ID === id)?.['adoption_fee'], '1234.50');
  assert.match((await ok('PATCH', `pet/${id}/profile`, { feeCurrency: null })).text, /"feeCurrency":"EUR"/);
});

void test('fee: without a currency of the organisation, it is in that of its country', async () => {
  const response = await ok('PUT', 'organisation', { country: 'CH' });
  assert.equal(response.text, '{"country":"CH"}', 'what is stored');
  const found = await readPublic();
  for (const place of ['profile', 'search', 'export', 'openFeed'])
    assert.match(found[place] ?? '', /"feeAmount":1234.5,(?:.*,)?"feeCurrency":"CHF"/, place);
  assert.match(found['page'] ?? '', /"price":1234.5,"priceCurrency":"CHF"/);
  assert.match((await ok('PATCH', `pet/${id}/profile`, { feeIsWaived: null })).text, /"feeCurrency":"CHF"/);
  await ok('PUT', 'organisation', { country: 'US' });
  const rows: Record<string, string>[] = parse(await (await fetch(petfinder)).text(), { columns: true });
  assert.equal(rows.find(({ ID }) => ID === id)?.['adoption_fee'], '1234.50');
  await ok('PUT', 'organisation', { country: 'CH', currency: 'EUR' });
  assert.match((await readPublic())['profile'] ?? '', /"feeCurrency":"EUR"/);
});
