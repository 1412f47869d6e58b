import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startMenagerie } from '../../src/testing/menagerie.ts';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const MANY = 1000;

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
