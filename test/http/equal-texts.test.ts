import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { putPet } from '../support/changes.ts';
import { startComposed } from '../support/composed-service.ts';

/*
 * Canonically equivalent texts are equal: in requests, in stored data, and in pets that earlier versions stored as they
 * were sent.
 */

const { call, stores } = await startComposed({ after });

const NAME = 'Zo\u00eb K\u00f6ter';
const DECOMPOSED = NAME.normalize('NFD');

/** As earlier versions stored a pet. */
await stores.pets.apply(putPet({ name: DECOMPOSED, category: { name: DECOMPOSED }, tags: [{ name: DECOMPOSED }] }, 1n));
for (const [id, name] of [
  [2, NAME],
  [3, ` ${DECOMPOSED}\t`],
] as const) {
  const json = { id, name, category: { name }, tags: [name] };
  assert.equal((await call('POST', 'pet', { json })).status, 200);
}

for (const [form, sent] of Object.entries({ NFC: NAME, NFD: DECOMPOSED, 'outer spaces': ` ${DECOMPOSED} ` })) {
  const name = encodeURIComponent(sent);
  void test(`filters and searches, ${form}: match every form of the text`, async () => {
    for (const path of ['pet/findByTags?tags=', 'pet?tags=', 'pet?category=', 'pet?text=']) {
      const response = await call('GET', `${path}${name}`);
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(
        Array.from(response.text.matchAll(/\{"id":(\d)/g), ([, id]) => id),
        ['1', '2', '3'],
        path,
      );
    }
    const { text } = await call('GET', `facets?category=${name}&tags=${name}`);
    for (const kind of ['categories', 'tags'])
      assert.ok(text.includes(`"${kind}":[{"name":"${NAME}","count":3}]`), text);
  });
}

void test('labels and suggestions: count every form of the text as one', async () => {
  for (const path of ['categories', 'tags'])
    assert.equal((await call('GET', path)).text, `[{"name":"${NAME}","count":3}]`);
  const { text } = await call('GET', 'suggestions?text=ko');
  assert.ok(text.includes(`"tags":[{"name":"${NAME}","text":"","count":3}]`), text);
});

void test('pet of an earlier version: its text stays until it is changed', async () => {
  assert.ok((await call('GET', 'pet/1')).text.includes(`"name":"${DECOMPOSED}"`));
  await call('PATCH', 'pet/1', {
    body: Buffer.from(JSON.stringify({ name: DECOMPOSED, tags: ['x'] })),
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  assert.ok((await call('GET', 'pet/1')).text.includes(`"name":"${NAME}"`));
  assert.equal(
    (await call('GET', `pet/findByTags?tags=${encodeURIComponent(DECOMPOSED)}&limit=1`)).text.slice(0, 8),
    '[{"id":2',
  );
});
