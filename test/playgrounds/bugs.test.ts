import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { BUG_GROUPS, BUG_IDS, BUGS, type BugId } from '../../src/domain/playgrounds/bugs.ts';
import { FAULT_KINDS, type FaultKind } from '../../src/domain/playgrounds/faults.ts';
import type { PlaygroundBugs } from '../../src/api/records/playgrounds/bugs.ts';
import { assertRefused, clientOf, type Call, type HttpResponse } from '../support/client.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground, type TestPlayground } from '../support/playgrounds.ts';
import { bearer, logIn } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { checkContract, type CheckedService } from './contract-check.ts';

/* Planted bugs: each is noticed by a check of the contract, and concerns only its playground. */

void describe('planted bugs', { skip: skipWithoutPlaygrounds() }, async () => {
  const { base } = await startTestService({ after }, { flags: ['--empty', '--access=sandbox'] });
  const service = clientOf(base);

  async function openSecured(bugs: readonly BugId[]): Promise<CheckedService & { playground: TestPlayground }> {
    const playground = await createPlayground(service, { contents: 'empty', access: 'secured', bugs });
    const { username, password } = playground.users.find(({ role }) => role === 'admin') ?? assert.fail();
    const headers = bearer(await logIn(playground.call, username, password));
    return { base: playground.base, headers, playground };
  }

  async function bugsOf({ token }: { token: string }, query = '') {
    const { status, text } = await service('GET', `playgrounds/${token}/bugs${query}`);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as PlaygroundBugs).bugs;
  }

  const clean = await openSecured([]);

  void it('without any: the contract holds in a playground and outside', async () => {
    assert.deepEqual([...(await checkContract(clean))], []);
    assert.deepEqual([...(await checkContract({ base }))], []);
  });

  for (const id of BUG_IDS)
    void it(`${id}: the check of the contract fails, and only there`, async () => {
      const buggy = await openSecured([id]);
      const [problems, others, outside] = await Promise.all([buggy, clean, { base }].map(checkContract));
      assert.notEqual(problems?.size, 0, BUGS[id].description);
      assert.deepEqual([...(others ?? []), ...(outside ?? [])], []);
      const met = (await bugsOf(buggy.playground)).filter((bug) => bug.met > 0);
      assert.deepEqual(
        met.map((bug) => bug.id),
        [id],
      );
      assert.match(met[0]?.lastRequestId ?? '', /\S/);
      // And it is gone when it is off.
      const { token } = buggy.playground;
      assert.equal((await service('PUT', `playgrounds/${token}/bugs`, { json: { on: [] } })).status, 200);
      assert.deepEqual([...(await checkContract(buggy))], []);
    });

  void it('met: counts only requests whose response is another one', async () => {
    const { call, token } = await createPlayground(service, { contents: 'empty', bugs: BUG_IDS });
    const { id, tag } = await addAndRead(call);
    const headers = { 'if-match': tag, 'idempotency-key': 'a key of its own' };
    assert.equal((await call('PATCH', `pet/${id}`, { json: { name: 'Kiwi' }, headers })).status, 200);
    await call('GET', 'pet?category=cat');
    await call('GET', `pet/${id}`, { headers: { 'if-none-match': '"0"' } });
    await call('DELETE', `pet/${id}`, { headers: { api_key: 'special-key' } });
    await call('DELETE', `pet/${(await addAndRead(call)).id}`);
    const met = (await bugsOf({ token })).flatMap((bug) => (bug.met > 0 ? [bug.id] : []));
    const unmet = ['bug-02', 'bug-04', 'bug-06', 'bug-20', 'bug-26', 'bug-29', 'bug-30'];
    assert.deepEqual(
      met.filter((each) => unmet.includes(each)),
      [],
    );
  });

  void it('set "petstore": has ten bugs, the other twenty are of five groups', async () => {
    const all = await bugsOf(clean.playground, '?include=description');
    const others = all.filter(({ petstore }) => petstore === false);
    assert.deepEqual([all.length - others.length, others.length], [10, 20]);
    assert.deepEqual(new Set(others.map(({ group }) => group)), new Set(BUG_GROUPS));
  });

  void it('list: has descriptions only on request', async () => {
    const all = await bugsOf(clean.playground);
    assert.deepEqual(
      all.map((bug) => bug.id),
      BUG_IDS,
    );
    assert.ok(all.every((bug) => Object.keys(bug).join() === 'id,on,met'));
    const described = await bugsOf(clean.playground, '?include=description');
    assert.deepEqual(
      described.map((bug) => bug.description),
      Object.values(BUGS).map(({ description }) => description),
    );
  });

  void it('switches: refuse what does not exist', async () => {
    const { token } = clean.playground;
    for (const json of [{ on: ['bug-31'] }, { on: 'bug-01' }, {}]) {
      const refused = await service('PUT', `playgrounds/${token}/bugs`, { json });
      assertRefused(refused, 400);
      assert.match(refused.text, /"path":"\/on/);
    }
    assertRefused(await service('POST', 'playgrounds', { json: { bugs: ['bug-31'] } }), 400);
    for (const method of ['GET', 'PUT'])
      assertRefused(await service(method, 'playgrounds/unknown/bugs', { json: { on: [] } }), 404);
  });

  void it('reset: forgets what bugs know of the data, not that they were met', async () => {
    const { call, token } = await createPlayground(service, { contents: 'empty', bugs: ['bug-11'] });
    const path = `pet/${idIn(await call('POST', 'pet', { json: { name: 'Luna' } }))}`;
    await call('GET', path);
    await call('DELETE', path);
    assert.match((await call('GET', path)).text, /Luna/);
    await service('POST', `playgrounds/${token}/reset`);
    assert.equal((await call('GET', path)).status, 404);
    assert.equal((await bugsOf({ token })).find(({ id }) => id === 'bug-11')?.met, 1);
  });

  void it('changed answers: have their own length, and are not cached under the tag of the right one', async () => {
    const { call } = await createPlayground(service, { contents: 'empty', bugs: ['bug-19'] });
    const path = `pet/${idIn(await call('POST', 'pet', { json: { name: 'Zoë' } }))}`;
    const { bytes, headers } = await call('GET', path);
    assert.equal(headers.get('content-length'), String(bytes.length));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('menagerie-fault'), null);
    assert.equal((await call('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status, 304);
  });

  void it('all of them and every fault: change no header that protects browsers, and no escaping', async () => {
    const [buggy, right] = [BUG_IDS, []].map((bugs) => createPlayground(service, { contents: 'empty', bugs }));
    const { call } = (await buggy) ?? assert.fail();
    const { call: other } = (await right) ?? assert.fail();
    const name = '<img src=x onerror=alert(1)>';
    for (const each of [call, other]) await each('POST', 'pet', { json: { id: 7, name, status: 'sold', tags: ['a'] } });
    const requests = ['pet/7', 'pet/8', 'pet/findByStatus?status=sold', 'pet?text=img', 'pet/findByTags?tags=a'];
    for (const path of requests)
      for (const fault of [undefined, ...FAULT_KINDS.filter((kind) => !BREAKING.has(kind))])
        for (const accept of ['application/json', 'application/xml']) {
          const headers = { accept, ...(fault !== undefined && { 'menagerie-fault': fault }) };
          const [disturbed, plain] = await Promise.all([call, other].map((each) => each('GET', path, { headers })));
          const context = `${path} ${accept} ${fault}`;
          assert.deepEqual(protectionOf(disturbed), protectionOf(plain), context);
          assert.doesNotMatch(disturbed?.headers.get('content-type') ?? '', /html|svg|script/, context);
          if (disturbed?.text.startsWith('<')) assert.doesNotMatch(disturbed.text, /<img/, context);
        }
  });
});

/** Faults without a response. */
const BREAKING: ReadonlySet<FaultKind> = new Set(['cut-off', 'connection-reset']);

const PROTECTING = [
  'content-security-policy',
  'x-content-type-options',
  'referrer-policy',
  'cross-origin-resource-policy',
  'x-robots-tag',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-credentials',
];

function protectionOf(response: HttpResponse | undefined) {
  return PROTECTING.map((name) => response?.headers.get(name));
}

async function addAndRead(call: Call) {
  const id = idIn(await call('POST', 'pet', { json: { name: 'Luna', category: { name: 'Cat' } } }));
  return { id, tag: (await call('GET', `pet/${id}`)).headers.get('etag') ?? assert.fail('no ETag') };
}

function idIn({ text }: HttpResponse): string {
  return /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text);
}
