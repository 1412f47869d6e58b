import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../src/client/client.ts';
import { curlCommand, startMenagerie, type MenagerieOptions } from '../../src/testing/menagerie.ts';
import { clientOf, type Call } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const ENTRY = fileURLToPath(new URL('../../src/testing/menagerie.ts', import.meta.url));

async function start(t: Lifetime, options?: MenagerieOptions) {
  const menagerie = await startMenagerie(options);
  t.after(() => menagerie.close());
  return { ...menagerie, call: clientOf(menagerie.base) };
}

async function addPet(call: Call, pet: object): Promise<number> {
  const { status, text } = await call('POST', 'pet', { json: pet });
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { id: number }).id;
}

async function petsOf(call: Call): Promise<{ id: number; name: string; photoUrls: string[] }[]> {
  const { text } = await call('GET', 'pet/findByStatus?status=available,pending,sold');
  return JSON.parse(text) as { id: number; name: string; photoUrls: string[] }[];
}

async function login(call: Call, username: string, password: string): Promise<string> {
  const { status, text } = await call('POST', 'user/login', { json: { username, password } });
  assert.equal(status, 200, text);
  return (JSON.parse(text) as string).split(':')[1] ?? '';
}

void describe('startMenagerie', () => {
  void it('snapshots: restore data and IDs, also in another service', async (t) => {
    const first = await start(t);
    await addPet(first.call, { name: 'Luna', status: 'available' });
    const snapshot = await first.takeSnapshot();
    for (let round = 0; round < 2; round++) {
      await first.client.deletePet({ petId: 1 });
      assert.equal(await addPet(first.call, { name: 'Kiwi', status: 'available' }), 2);
      await first.restore(snapshot);
      assert.deepEqual(
        (await petsOf(first.call)).map(({ name }) => name),
        ['Luna'],
      );
    }
    const second = await start(t);
    await second.restore(snapshot);
    assert.equal((await second.client.getPetById({ petId: 1 })).name, 'Luna');
  });

  void it('requests: are recorded, filtered and deleted, and each is a command for curl', async (t) => {
    const { client, requests, clearRequests, reset, origin } = await start(t);
    await client.addPet({ body: { name: 'Luna' } });
    await assert.rejects(client.getPetById({ petId: 404 }));
    await reset();
    assert.deepEqual(
      requests().map(({ operation, status }) => [operation, status]),
      [
        ['addPet', 200],
        ['getPetById', 404],
      ],
    );
    assert.equal(requests({ operation: 'addPet', status: 2 }).length, 1);
    const [request] = requests({ status: 404, method: 'get' });
    assert.ok(request !== undefined);
    assert.match(curlCommand(request, origin), new RegExp(`^curl --globoff --request GET ${origin}/v2/pet/404`));
    clearRequests();
    assert.deepEqual(requests(), []);
  });

  void it('default options: an empty catalogue on a free loopback port, with IDs from 1', async (t) => {
    const { call, base, origin } = await start(t);
    assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(base, `${origin}/v2`);
    assert.deepEqual(await petsOf(call), []);
    assert.equal(await addPet(call, { name: 'Rex', status: 'sold' }), 1);
    assert.equal((await call('GET', `${origin}/readyz`)).status, 200);
  });

  void it('samples: the sample catalogue with its photos', async (t) => {
    const { call } = await start(t, { samples: true });
    const pets = await petsOf(call);
    assert.equal(pets.length, 20);
    for (const { photoUrls } of pets) {
      const photo = await call('GET', photoUrls[0] ?? '');
      assert.equal(photo.headers.get('content-type'), 'image/jpeg');
      assert.ok(photo.bytes.byteLength > 10_000);
    }
    const small = await call('GET', `${pets[0]?.photoUrls[0]}/small`);
    assert.equal(small.headers.get('content-type'), 'image/webp');
    assert.equal((await call('GET', 'user/user%3F10')).status, 200);
  });

  for (const samples of [false, true]) {
    void it(`reset ${samples ? 'with' : 'without'} samples: restores the initial state each time`, async (t) => {
      const { call, reset } = await start(t, { samples });
      const before = await petsOf(call);
      for (let round = 0; round < 5; round++) {
        assert.equal(await addPet(call, { name: 'Rex', status: 'sold' }), before.length + 1);
        assert.equal(await addPet(call, { id: 1, name: 'another' }), 1);
        await call('POST', 'user', { json: { username: 'ada', password: 'secret' } });
        const token = await login(call, 'ada', 'secret');
        await reset();
        assert.deepEqual(await petsOf(call), before);
        assert.equal((await call('GET', 'user/ada')).status, 404);
        assert.equal((await call('GET', 'account', { headers: { authorization: `Bearer ${token}` } })).status, 401);
        if (!samples) assert.equal((await call('GET', 'pet/1')).status, 404);
      }
    });
  }

  void it('reset: deletes uploaded photos', async (t) => {
    const { call, reset } = await start(t);
    await addPet(call, { name: 'Rex' });
    const upload = fileUpload(await makePhoto({ format: 'png' }));
    const added = await call('POST', 'pet/1/uploadImage', upload);
    assert.equal(added.status, 200, added.text);
    const pet = JSON.parse((await call('GET', 'pet/1')).text) as { photoUrls: string[] };
    assert.equal((await call('GET', pet.photoUrls[0] ?? '')).status, 200);
    await reset();
    assert.equal((await call('GET', pet.photoUrls[0] ?? '')).status, 404);
  });

  void it('reset during requests: each request gets a response', async (t) => {
    const { call, reset } = await start(t, { samples: true });
    const statuses: number[] = [];
    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 10 }, async (_, index) => {
        const response = await (index % 2 === 0
          ? call('POST', 'pet', { json: { name: 'Rex' } })
          : call('GET', 'pet/findByStatus?status=available'));
        statuses.push(response.status);
      });
      await Promise.all([...calls, reset()]);
    }
    assert.deepEqual([...new Set(statuses)], [200]);
    await reset();
    assert.equal((await petsOf(call)).length, 20);
  });

  void it('several services in one process: are independent', async (t) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => start(t)));
    const ids = await Promise.all(all.map(({ call }, index) => addPet(call, { name: `${index}`, status: 'sold' })));
    assert.deepEqual(ids, [1, 1, 1, 1, 1]);
    await all[0]?.reset();
    await all[1]?.close();
    const names = await Promise.all(all.slice(2).map(async ({ call }) => (await petsOf(call)).map(({ name }) => name)));
    assert.deepEqual(names, [['2'], ['3'], ['4']]);
  });

  void it('users: have their roles and short passwords before and after a reset', async (t) => {
    const users = [
      { username: 'ada', password: 'a', role: 'admin' },
      { username: 'vic', password: 'v' },
    ] as const;
    const { call, reset } = await start(t, { access: 'secured', users });
    for (let round = 0; round < 2; round++) {
      assert.equal((await call('POST', 'pet', { json: { name: 'Rex' } })).status, 401);
      const admin = { authorization: `Bearer ${await login(call, 'ada', 'a')}` };
      const viewer = { authorization: `Bearer ${await login(call, 'vic', 'v')}` };
      assert.equal((await call('POST', 'pet', { json: { name: 'Rex' }, headers: viewer })).status, 403);
      assert.equal((await call('POST', 'pet', { json: { name: 'Rex' }, headers: admin })).status, 200);
      await reset();
    }
  });

  void it('invalid options: are reported, and nothing stays open', async (t) => {
    const { origin } = await start(t);
    const port = Number(new URL(origin).port);
    await assert.rejects(startMenagerie({ port }), /in use by another program/);
    await assert.rejects(startMenagerie({ port: 70_000 }), /Invalid options: --port/);
    await assert.rejects(startMenagerie({ access: 'all' as 'open' }), /Invalid options: --access .* must be one of/);
    for (const [user, message] of [
      [{ username: 'a/b' }, /\/0\/username must have/],
      [{ username: 'Login' }, /\/0\/username must not be/],
      [{ role: 'boss' as 'admin' }, /\/0\/role must be one of viewer/],
      [{ password: 17 as unknown as string }, /\/0\/password must be a string/],
      [{ password: undefined as unknown as string }, /\/0\/password must be a string/],
    ] as const)
      await assert.rejects(startMenagerie({ users: [{ username: 'ada', password: 'a', ...user }] }), message);
    const twice = [{ username: 'ada', password: 'a' }] as const;
    await assert.rejects(startMenagerie({ users: [...twice, ...twice] }), /ada/);
  });

  void it('client: calls the service', async (t) => {
    const { client, reset } = await start(t, {
      samples: true,
      users: [{ username: 'ada', password: 'a', role: 'admin' }],
    });
    assert.equal((await client.getPetById({ petId: 1n })).name, 'Biscuit');
    await client.login('ada', 'a');
    assert.equal((await client.getAccount()).role, 'admin');
    await reset();
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
  });

  void it('client with numbers: IDs are numbers where they are safe', async (t) => {
    const { client, close } = await startMenagerie({ samples: true, integers: 'number' });
    t.after(close);
    const added = await client.addPet({ body: { name: 'Luna', status: 'available' } });
    assert.equal(added.id, 21);
    assert.equal(JSON.stringify(added), '{"id":21,"name":"Luna","photoUrls":[],"tags":[],"status":"available"}');
    const [suggested] = await Array.fromAsync(client.findPets.all({ tags: ['playful'] }));
    assert.equal(typeof suggested?.id, 'number');
    for await (const { id } of client.exportPets.lines()) assert.equal(typeof id, 'number');
    const large = await client.addPet({ body: { id: 2n ** 63n - 1n, name: 'Rex' } });
    assert.equal(large.id, 2n ** 63n - 1n);
  });

  void it('playgrounds: are services of their own, and a reset keeps them', async (t) => {
    const { client, call, origin, requests, setFaults, reset, close } = await start(t, { samples: true });
    const { token, base } = await client.createPlayground({ body: { contents: 'empty' } });
    assert.equal(base, `${origin}/s/${token}/v2`);
    const playground = createClient({ base });
    setFaults([{ fault: 'unavailable', operation: 'addPet' }]);
    assert.equal((await playground.addPet({ body: { name: 'Luna' } })).id, 1n);
    const headers = { 'menagerie-fault': 'unavailable;retry-after=60' };
    await assert.rejects(playground.listTags({}, { headers }), { status: 503 });
    await client.deletePet({ petId: 1 });
    await reset();
    await client.createPlayground({ body: { contents: 'empty' } });
    assert.equal((await client.listPlaygroundRequests({ token, operation: 'addPet' })).length, 1);
    assert.equal((await playground.getPetById({ petId: 1 })).name, 'Luna');
    assert.equal((await call('GET', 'pet/1')).status, 200);
    assert.deepEqual(
      requests({ operation: 'addPet' }).map(({ path }) => path),
      [],
    );
    await close();
    await assert.rejects(playground.getPetById({ petId: 1 }), { name: 'NetworkError' });
  });

  void it('webhooks: are sent to receivers on this machine, also those of playgrounds, and after a reset', async (t) => {
    const { client, reset } = await start(t, { users: [{ username: 'ada', password: 'a', role: 'admin' }] });
    const receiver = await startReceiver(t);
    const receive = async (sender: typeof client, password: string, path: string) => {
      await sender.login(path === '/playground' ? 'admin' : 'ada', password);
      await sender.createWebhook({ body: { url: `${receiver.origin}${path}`, events: ['pet.added'] } });
      await sender.addPet({ body: { name: 'Luna' } });
      await until(`${path} is called`, async () =>
        receiver.calls.some((each) => each.path === path && each.body.includes('Luna')),
      );
    };
    await receive(client, 'a', '/first');
    await reset();
    await receive(client, 'a', '/second');
    const { base, users } = await client.createPlayground({ body: { contents: 'empty', access: 'secured' } });
    const { password = '' } = users.find(({ role }) => role === 'admin') ?? {};
    await receive(createClient({ base }), password, '/playground');
  });

  void it('reset: closes event streams; new ones have the later changes', async (t) => {
    const { client, base, reset } = await start(t);
    for (const pets of [0, 1]) {
      for (let count = 0; count < pets; count++) await client.addPet({ body: { name: 'Rex' } });
      const stream = await fetch(`${base}/events`);
      await reset();
      assert.match(await stream.text(), /event: position/);
    }
    await client.addPet({ body: { name: 'Max' } });
    for await (const event of client.events({ lastEventId: 0 })) {
      assert.deepEqual([event.version, event.type], [1n, 'pet.added']);
      break;
    }
  });

  void it('close: can be called twice; the service no longer responds', async (t) => {
    const { call, close } = await start(t);
    await addPet(call, { name: 'Rex' });
    await Promise.all([close(), close()]);
    await assert.rejects(call('GET', 'pet/1'));
  });

  void it('process: ends by itself, ignores the environment and writes no file', async (t) => {
    const folder = await temporaryFolder(t);
    const program = `
      import { startMenagerie } from ${JSON.stringify(ENTRY)};
      await using menagerie = await startMenagerie({ samples: true });
      const { length } = await (await fetch(menagerie.base + '/pet/findByStatus?status=sold')).json();
      await menagerie.reset();
      console.log(length, process.getActiveResourcesInfo().includes('Worker'));
    `;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      cwd: folder,
      env: { MENAGERIE_PORT: '1', MENAGERIE_DATABASE_URL: 'postgres://user@localhost/none' },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 30_000,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.equal(output, '4 false\n');
    assert.deepEqual(await readdir(folder), []);
  });
});
