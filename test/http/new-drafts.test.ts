import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { callTool, connectAgent } from '../support/agents.ts';
import { clientOf, type Call, type HttpResponse } from '../support/client.ts';
import { runCommand } from '../support/operator-commands.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * Drafts are stored in one change, whichever way they are made, so that nothing has ever had their texts. The other
 * ways to make one are in the model of the service (`test/model/`), with all that anonymous clients read.
 */

const CANARY = 'Kanarienvogel';
const DRAFT = { species: 'bird', breedPrimary: CANARY, summary: CANARY, isPublished: false };
const PET = { name: CANARY, category: { name: CANARY }, tags: [CANARY], status: 'available' };

const service = await startSecuredService({ after }, { flags: ['--mcp', 'write'] });
const { base, origin } = service;
const token = await logIn(service.call, 'edna');
const editor = as(token);
const root = as(await logIn(service.call, 'root'));
const anonymous = clientOf(base);
const { key } = await createKey(service.call, token, ['read:pets', 'write:pets']);
const agent = await connectAgent({ after }, origin, { requestInit: { headers: bearer(key) } });

async function ok(response: Promise<HttpResponse>): Promise<string> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return text;
}

function as(token: string): Call {
  return (method, path, options = {}) =>
    service.call(method, path, { ...options, headers: { ...bearer(token), ...options.headers } });
}

/** A published pet without the canary. */
async function published(id: number): Promise<number> {
  await ok(editor('POST', 'pet', { json: { id, name: `Public ${id}`, status: 'available' } }));
  return id;
}

async function tool(name: string, input: object): Promise<void> {
  const { isError, text } = await callTool(agent, name, input);
  assert.equal(isError, false, text);
}

/** As the form of the web application sends it, and again as after a lost response. */
async function postTwice(id: number): Promise<void> {
  const options = {
    json: { ...PET, id, profile: DRAFT },
    headers: { 'if-none-match': '*', 'idempotency-key': `draft-${id}` },
  };
  const first = await ok(editor('POST', 'pet', options));
  const second = await editor('POST', 'pet', options);
  assert.deepEqual([second.text, second.headers.get('idempotency-replayed')], [first, 'true']);
}

async function importPet(id: number): Promise<void> {
  const file = join(await temporaryFolder({ after }), 'pets.csv');
  const header = 'id,name,category,tags,status,species,breedPrimary,summary,isPublished';
  await writeFile(file, `${header}\n${id},${CANARY},${CANARY},${CANARY},available,bird,${CANARY},${CANARY},no\n`);
  const { stdout } = await runCommand(['pets', 'import', file, '--url', base, '--key', key]);
  assert.equal(stdout, 'pets: 1 created\n');
}

const patch = { ...PET, profile: DRAFT };
/** How a pet becomes a draft with the canary. The versions that it then has. */
const WAYS: Readonly<Record<string, [make: (id: number) => Promise<unknown>, versions: number]>> = {
  'POST, as the form sends it': [postTwice, 1],
  'an import': [importPet, 1],
  update_pet: [async (id) => tool('update_pet', { id: await published(id), ...patch }), 2],
};

void describe('a new draft', () => {
  const ids = new Map<string, number>();

  before(async () => {
    let id = 1000;
    for (const [name, [make]] of Object.entries(WAYS)) {
      ids.set(name, ++id);
      await make(id);
    }
    await tool('add_pet', { ...PET, profile: DRAFT });
    const found = JSON.parse(await ok(editor('GET', `pet?text=${CANARY}&limit=100`))) as { pets: { id: number }[] };
    const added = found.pets.filter((pet) => pet.id < 1000 || pet.id > id);
    assert.equal(added.length, 1);
    ids.set('add_pet', added[0]?.id ?? assert.fail());
    assert.equal(found.pets.length, Object.keys(WAYS).length + 1);
  });

  for (const [name, versions] of [
    ...Object.entries(WAYS).map(([name, [, count]]) => [name, count] as const),
    ['add_pet', 1] as const,
  ])
    void it(`by ${name}: is one version with one audit entry, and the pet has six fields`, async () => {
      const id = ids.get(name) ?? assert.fail();
      const text = await ok(editor('GET', `pet/${id}`));
      assert.doesNotMatch(text, /profile|isPublished/);
      assert.deepEqual(JSON.parse(await ok(editor('GET', `pet/${id}/profile`))), DRAFT);
      const history = JSON.parse(await ok(editor('GET', `pet/${id}/history`))) as unknown[];
      assert.equal(history.length, versions);
      const audit = JSON.parse(await ok(root('GET', `admin/audit?kind=pet&subject=${id}`))) as unknown[];
      assert.equal(audit.length, versions, JSON.stringify(audit));
      assert.equal((await anonymous('GET', `pet/${id}`)).status, 404);
    });
});
