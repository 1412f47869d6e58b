import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BugId } from '../../src/domain/playgrounds/bugs.ts';
import { startMenagerie, type FaultRule, type Menagerie } from '../../src/testing/menagerie.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { checkContract } from './contract-check.ts';

/*
 * The faults and planted bugs of `menagerie/testing`: the same as those of a playground, without one. Runs in its own
 * process, without the check that all responses are as documented.
 */

async function start(t: Lifetime): Promise<Menagerie> {
  const menagerie = await startMenagerie();
  t.after(() => menagerie.close());
  return menagerie;
}

async function statusesOf({ base }: Menagerie, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await fetch(`${base}/tags`)).status);
  return statuses;
}

void describe('faults in process', () => {
  void it('rules: refuse requests, are counted, and begin again after a reset', async (t) => {
    const menagerie = await start(t);
    menagerie.setFaults([{ fault: 'server-error', operation: 'listTags', share: 0.5, seed: 7 }]);
    const statuses = await statusesOf(menagerie, 20);
    assert.deepEqual(new Set(statuses), new Set([200, 500]));
    const [rule] = menagerie.faults();
    assert.deepEqual([rule?.matched, rule?.made], [20, statuses.filter((status) => status === 500).length]);
    await menagerie.reset();
    assert.deepEqual(await statusesOf(menagerie, 20), statuses);
    menagerie.setFaults([]);
    assert.deepEqual(await statusesOf(menagerie, 1), [200]);
  });

  void it('unknown options, filters and fields of rules: are refused, with those that exist', async (t) => {
    const misspelt = { sample: true, quiet: true };
    await assert.rejects(startMenagerie(misspelt), /Unknown option: sample\. Did you mean samples\?/);
    const menagerie = await start(t);
    const filter = { url: '/pet', status: 200 };
    assert.throws(() => menagerie.requests(filter), /Unknown option: url\. The options are operation, /);
    const rule = { fault: 'unavailable', op: 'addPet' } as const;
    assert.throws(() => menagerie.setFaults([rule]), /\/rules\/0\/op is unknown \(did you mean operation\?\)/);
    menagerie.setFaults(menagerie.faults());
    assert.deepEqual(await statusesOf(menagerie, 1), [200]);
  });

  void it('refusals: are not executed, and recorded as the client saw them', async (t) => {
    const menagerie = await start(t);
    menagerie.setFaults([{ fault: 'too-many-requests', operation: 'addPet', count: 1, retryAfterSeconds: 40 }]);
    const { client } = menagerie;
    await assert.rejects(client.addPet({ body: { name: 'Luna' } }), { code: 'too-many-requests' });
    assert.equal((await client.addPet({ body: { name: 'Luna' } })).id, 1n);
    assert.deepEqual(
      menagerie.requests().map(({ status }) => status),
      [429, 200],
    );
  });

  void it('delays and broken responses: come from the service, by rule or by header', async (t) => {
    const menagerie = await start(t);
    menagerie.setFaults([{ fault: 'latency', delayMs: 5 }]);
    const headers = { 'menagerie-fault': 'malformed-json' };
    const response = await fetch(`${menagerie.base}/tags`, { headers });
    assert.equal(response.headers.get('menagerie-fault'), 'latency;delay-ms=5, malformed-json');
    await assert.rejects(response.json(), SyntaxError);
    menagerie.setFaults([{ fault: 'connection-reset', operation: 'addPet', count: 1 }]);
    await assert.rejects(fetch(`${menagerie.base}/pet`, addition('Luna')), TypeError);
    assert.equal((await menagerie.client.getPetById({ petId: 1 })).name, 'Luna');
  });

  void it('a delayed request: does not keep the service open', async (t) => {
    const menagerie = await start(t);
    menagerie.setFaults([{ fault: 'latency', delayMs: 10_000 }]);
    const waiting = fetch(`${menagerie.base}/tags`).catch((error: unknown) => error);
    while (menagerie.faults()[0]?.matched === 0) await new Promise(setImmediate);
    await menagerie.close();
    assert.ok((await waiting) instanceof Error);
  });

  void it('invalid rules and bugs: are refused as over HTTP', async (t) => {
    const menagerie = await start(t);
    assert.throws(() => menagerie.setFaults([{ fault: 'other' } as unknown as FaultRule]), { code: 'invalid-input' });
    assert.throws(
      () => menagerie.setFaults([{ fault: 'latency', operation: 'other' }]),
      /must be the ID of an operation/,
    );
    assert.throws(() => menagerie.setBugs(['bug-31' as BugId]), /must be one of bug-01 to bug-30/);
    assert.deepEqual(menagerie.faults(), []);
  });
});

void describe('planted bugs in process', () => {
  // One of each kind: of requests, of pets, of lists.
  for (const id of ['bug-02', 'bug-12', 'bug-09'] as const)
    void it(`${id}: the check of the contract fails, until it is off`, async (t) => {
      const menagerie = await start(t);
      assert.deepEqual([...(await checkContract(menagerie))], []);
      menagerie.setBugs([id]);
      assert.notEqual((await checkContract(menagerie)).size, 0);
      const met = menagerie.bugs({ include: 'description' }).filter((bug) => bug.met > 0);
      assert.deepEqual(
        met.map((bug) => [bug.id, bug.on]),
        [[id, true]],
      );
      assert.match(met[0]?.lastRequestId ?? '', /\S/);
      assert.match(met[0]?.description ?? '', /\.$/);
      assert.equal(menagerie.bugs()[0]?.description, undefined);
      await menagerie.reset();
      assert.ok(menagerie.bugs().find((bug) => bug.id === id)?.on);
      menagerie.setBugs([]);
      assert.deepEqual([...(await checkContract(menagerie))], []);
    });
});

function addition(name: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name }) };
}
