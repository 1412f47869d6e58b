import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startMenagerie } from '../../src/testing/menagerie.ts';
import { clientOf } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

const MANY = 1000;

const OWN_FIELDS = {
  fields: [
    { key: 'flies', type: 'yes-no-unknown', label: { en: 'Flies', de: 'Fliegt' }, isPublic: true },
    { key: 'vet', type: 'text', label: { en: 'Vet', de: 'Tierarzt' }, isPublic: false },
  ],
};

void describe('exports', () => {
  void it('pets: all of them, by ascending ID, also without a status', async (t) => {
    const { base } = await startTestService(t);
    const call = clientOf(base);
    const lines = Array.from({ length: MANY }, (_, index) => `{"op":"create","pet":{"name":"Pet ${index}"}}`);
    await call('POST', 'bulk', {
      body: Buffer.from(lines.join('\n')),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const response = await call('GET', 'export/pets');
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="pets.ndjson"');
    const exported = response.text.trimEnd().split('\n');
    assert.equal(exported.length, MANY);
    const ids = exported.map((line) => (JSON.parse(line) as { id: number }).id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    assert.equal(exported[0], (await call('GET', `pet/${ids[0]}`)).text);
  });

  void it('pets as CSV: have a header, lists in one cell, and no formulas', async () => {
    await using menagerie = await startMenagerie();
    const { client, base } = menagerie;
    await client.addPet({
      body: {
        id: 7,
        name: '=HYPERLINK("http://x")',
        category: { id: 1, name: 'Dogs' },
        tags: ['calm', 'shy'],
        status: 'sold',
      },
    });
    const response = await clientOf(base)('GET', 'export/pets?format=csv', { headers: { accept: 'text/csv' } });
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(
      response.text,
      '\uFEFFid,name,category,categoryId,tags,tagIds,status,photoUrls\r\n' +
        `7,"'=HYPERLINK(""http://x"")",Dogs,1,"calm|shy",,sold,\r\n`,
    );
  });

  void it('pets, with profiles: a field of each pet, or a column for each field', async (t) => {
    const { call, admin } = await startWithProfiles(t);
    const asAdmin = { headers: bearer(admin) };
    assert.equal(
      (await call('GET', 'export/pets?include=profile', asAdmin)).text.split('\n')[0],
      '{"id":1,"name":"Rex","photoUrls":[],"tags":[],"profile":{"species":"dog","weightKg":4.5,"colours":["a|b"],' +
        '"isAltered":false,"microchip":"-1","own":{"flies":false,"vet":"Dr. Who"}}}',
    );
    const csv = (await call('GET', 'export/pets?include=profile&format=csv', asAdmin)).text;
    const [names, rex, max] = csv.split('\r\n').map((line) => line.split(','));
    const cellsOf = (row: readonly string[] | undefined) =>
      names?.flatMap((name, index) => (row?.[index] === '' ? [] : [`${name}=${row?.[index]}`])).slice(2);
    assert.deepEqual(cellsOf(rex), [
      'species=dog',
      'weightKg=4.5',
      'colours="[""a|b""]"',
      'isAltered=no',
      'microchip="\'-1"',
      'isPublished=yes',
      'own.flies=no',
      'own.vet="Dr. Who"',
    ]);
    assert.deepEqual(cellsOf(max), ['isPublished=yes']);
    assert.equal((await call('GET', 'export/pets?include=photos')).status, 400);
    const semicolons = (await call('GET', 'export/pets?include=profile&format=csv&delimiter=semicolon', asAdmin)).text;
    assert.match(semicolons, /^\uFEFFid;name;[^]*;"4,5";/);
    const asm3 = (await call('GET', 'export/pets?format=csv&for=asm3', asAdmin)).text;
    assert.match(asm3, /^\uFEFFANIMALCODE,ANIMALNAME,ANIMALSPECIES,[^]*,Rex,Dog,/);
    for (const query of ['for=asm3', 'delimiter=semicolon', 'format=csv&for=paper'])
      assert.equal((await call('GET', `export/pets?${query}`)).status, 400, query);
  });

  void it('actors who may not change pets: get neither drafts nor private fields, on every page', async (t) => {
    const { call, admin } = await startWithProfiles(t);
    // More than a page of drafts, and a pet after them.
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ op: 'create', pet: { name: `Draft ${index}` }, profile: { isPublished: index > 298 } }),
    );
    const headers = { ...bearer(admin), 'content-type': 'application/x-ndjson' };
    await call('POST', 'bulk', { body: Buffer.from(lines.join('\n')), headers });
    const csv = (await call('GET', 'export/pets?format=csv&include=profile')).text;
    assert.match(csv, /species,.*,own\.flies\r\n/);
    assert.doesNotMatch(csv, /microchip|own\.vet|Dr\. Who/);
    for (const query of ['', '?format=csv', '?include=profile', '?format=csv&include=profile']) {
      const exported = (await call('GET', `export/pets${query}`)).text;
      assert.deepEqual(exported.match(/Rex|Max|Draft \d+/g), ['Rex', 'Max', 'Draft 299'], query);
      assert.doesNotMatch(exported, /Dr\. Who|"microchip"/);
      const whole = (await call('GET', `export/pets${query}`, { headers: bearer(admin) })).text;
      assert.equal(whole.match(/Rex|Max|Draft \d+/g)?.length, 302, query);
    }
  });

  void it('no pets, HEAD, wrong format: get a response', async () => {
    await using menagerie = await startMenagerie();
    const call = clientOf(menagerie.base);
    assert.deepEqual([(await call('GET', 'export/pets')).status, (await call('GET', 'export/pets')).text], [200, '']);
    assert.equal((await call('GET', 'export/pet-history')).text, '');
    assert.equal((await call('HEAD', 'export/pets?format=csv')).status, 200);
    assert.equal((await call('GET', 'export/pets?format=xml')).status, 400);
    assert.equal((await call('GET', 'export/pets?fromat=csv')).status, 400);
  });

  void it('history: every version in the order of the changes, with those of deleted pets', async () => {
    await using menagerie = await startMenagerie();
    const { client } = menagerie;
    await client.addPet({ body: { id: 2, name: 'Rex' } });
    await client.addPet({ body: { id: 1, name: 'Max' } });
    await client.patchPet({ petId: 2, body: { name: 'Roy' } });
    await client.deletePet({ petId: 1 });
    const changes = await Array.fromAsync(client.exportPetHistory.lines());
    assert.deepEqual(
      changes.map(({ type, id, pet }) => [type, id, pet?.name]),
      [
        ['pet.added', 2n, 'Rex'],
        ['pet.added', 1n, 'Max'],
        ['pet.edited', 2n, 'Roy'],
        ['pet.deleted', 1n, undefined],
      ],
    );
  });
});

/** A secured service with a pet that has a profile, and one that has none. */
async function startWithProfiles(t: TestContext) {
  const { call } = await startSecuredService(t);
  const admin = await logIn(call, 'root');
  const send = (method: string, path: string, json: object) => call(method, path, { json, headers: bearer(admin) });
  await send('PUT', 'own-fields', OWN_FIELDS);
  await send('POST', 'pet', { id: 1, name: 'Rex' });
  await send('POST', 'pet', { id: 2, name: 'Max' });
  await send('PUT', 'pet/1/profile', {
    species: 'dog',
    weightKg: 4.5,
    colours: ['a|b'],
    isAltered: false,
    microchip: '-1',
    own: { flies: false, vet: 'Dr. Who' },
  });
  return { call, admin };
}
