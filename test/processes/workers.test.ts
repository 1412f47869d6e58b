import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { clientOf } from '../support/client.ts';
import type { Connection } from '../support/connection.ts';
import { idOf, loadOver, succeed } from '../support/load.ts';
import { runMenagerie } from '../support/menagerie-process.ts';
import { readMetrics, requestsOf, seriesIn } from '../support/metrics.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, newSecuredFolder, tokenOf } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { openKnown, openToBoth, processOf, startTwoWorkers, type KnownConnection } from '../support/workers.ts';
import { until } from '../support/until.ts';

/*
 * Several worker processes on one database give the same guarantees as one process.
 */

const options = { skip: process.platform !== 'linux' && 'finds processes in /proc' };

const HOUR_MS = 3_600_000;
const LIMIT = 40;
const PASSWORD = 'twelve green parrots read the news';

/** Pairs of connections to different workers, in alternating order. */
function pairsOf(
  ones: readonly KnownConnection[],
  others: readonly KnownConnection[],
): readonly (readonly [KnownConnection, KnownConnection])[] {
  return ones.flatMap((one, index) => {
    const other = others[index] ?? assert.fail();
    return [index % 2 === 0 ? ([one, other] as const) : ([other, one] as const)];
  });
}

async function statusAt({ call }: Connection, secret: string): Promise<number> {
  return (await call('GET', 'account', { headers: bearer(secret) })).status;
}

async function writeAt({ call }: Connection, secret: string): Promise<number> {
  return (await call('POST', 'pet', { headers: bearer(secret), json: { name: 'Rex' } })).status;
}

void describe('two workers', options, async () => {
  const { base, origin } = await startTwoWorkers({ after }, await temporaryFolder({ after }));

  void it('connections: are distributed over both', async (t) => {
    const connections = await Promise.all(Array.from({ length: 8 }, () => openKnown(base)));
    t.after(async () => connections.forEach(({ close }) => close()));
    // Not necessarily in halves: the first free worker gets the next connection.
    assert.equal(new Set(connections.map((connection) => connection.process)).size, 2);
    for (let count = 0; count < 4; count++) {
      const response = await fetch(`${origin}/readyz`, { headers: { connection: 'close' } });
      assert.equal(response.status, 200, await response.text());
    }
  });

  void it('/readyz: both report the search index of the primary process', async (t) => {
    const both = (await openToBoth(t, origin, 1)).map(([connection]) => connection ?? assert.fail());
    const statesOf = () =>
      Promise.all(both.map(async ({ call }) => JSON.parse((await call('GET', 'readyz')).text) as { search: unknown }));
    await until('search is ready', async () => /"ready","from"/.test(JSON.stringify(await statesOf())));
    const [first, second] = await statesOf();
    assert.deepEqual(first, second);
    assert.deepEqual((await clientOf(base)('GET', 'pet?text=nothing')).status, 200);
  });

  void it('/metrics: each worker reports the sum of both', async (t) => {
    const both = (await openToBoth(t, base, 1)).map(([connection]) => connection ?? assert.fail());
    const before = await readMetrics(origin);
    for (const { call } of both) for (let count = 0; count < 5; count++) await call('GET', 'tags');
    for (const { call } of (await openToBoth(t, origin, 1)).map(([each]) => each ?? assert.fail())) {
      const series = seriesIn((await call('GET', 'metrics')).text);
      assert.equal(requestsOf(series, 'listTags') - requestsOf(before, 'listTags'), 10);
      assert.ok((series.get('menagerie_commit_duration_seconds_count') ?? 0) > 0, 'of the primary process');
      assert.equal(series.get('menagerie_healthy'), 1, 'reported once');
    }
  });

  void it('acknowledged change: is visible to the other worker immediately, under load', async (t) => {
    const call = clientOf(base);
    const load = loadOver(t, base, 4);
    const [ones, others] = await openToBoth(t, base, 6);
    const ids: string[] = [];
    await Promise.all(
      pairsOf(ones, others).map(async ([here, there], pair) => {
        for (let round = 0; round < 40; round++) {
          const tag = `tag-${pair}-${round}`;
          const added = await succeed(here.call('POST', 'pet', { json: { name: 'Rex', tags: [{ name: tag }] } }));
          const id = idOf(added);
          ids.push(id);
          const seen = await succeed(there.call('GET', `pet/${id}`));
          assert.equal(seen.text, added.text);
          assert.equal(seen.headers.get('etag'), added.headers.get('etag'));
          const json = { ...(JSON.parse(added.text) as object), name: 'Max' };
          const replaced = await succeed(there.call('PUT', 'pet', { json }));
          const listed = await succeed(here.call('GET', `pet/findByTags?tags=${tag}`));
          assert.equal(listed.text, `[${replaced.text}]`);
          const again = await succeed(here.call('GET', `pet/${id}`));
          assert.equal(again.headers.get('etag'), replaced.headers.get('etag'));
          assert.notEqual(again.headers.get('etag'), added.headers.get('etag'));
          const fields = { name: 'Edited', status: 'sold' };
          // The connection is unknown; the response shows which worker has served it.
          const edited = await succeed(call('POST', `pet/${id}`, { form: fields }));
          const [same, across] = processOf(edited) === here.process ? [here, there] : [there, here];
          const afterEdit = await succeed(across.call('GET', `pet/${id}`));
          assert.deepEqual(JSON.parse(afterEdit.text), { ...json, ...fields });
          assert.equal(afterEdit.headers.get('etag'), edited.headers.get('etag'));
          const known = { 'if-none-match': edited.headers.get('etag') ?? '' };
          assert.equal((await same.call('GET', `pet/${id}`, { headers: known })).status, 304);
          await succeed(there.call('DELETE', `pet/${id}`));
          assert.equal((await here.call('GET', `pet/${id}`)).status, 404);
        }
      }),
    );
    await load.end();
    assert.deepEqual(load.failures, []);
    assert.equal(new Set(ids).size, ids.length, 'each id is given once');
    await load.check([...ones, ...others].map((each) => each.call));
  });

  void it('concurrent replacements with the same ETag: one succeeds', async (t) => {
    const both = await openToBoth(t, base, 6);
    const pet = await succeed(both[0][0]?.call('POST', 'pet', { json: { name: 'Rex' } }) ?? assert.fail());
    const id = idOf(pet);
    let etag = pet.headers.get('etag') ?? '';
    for (let round = 0; round < 25; round++) {
      const responses = await Promise.all(
        both
          .flat()
          .map(({ call }, index) =>
            call('PUT', 'pet', { headers: { 'if-match': etag }, json: { id: Number(id), name: `${round}/${index}` } }),
          ),
      );
      const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
      assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 412)]);
      const winner = responses.find(({ status }) => status === 200) ?? assert.fail();
      for (const [connection] of both) {
        const seen = await succeed(connection?.call('GET', `pet/${id}`) ?? assert.fail());
        assert.equal(seen.text, winner.text);
        assert.equal(seen.headers.get('etag'), winner.headers.get('etag'));
      }
      etag = winner.headers.get('etag') ?? '';
    }
  });

  void it('uploaded photo: is served by the other worker', async (t) => {
    const call = clientOf(base);
    const [[one], [other]] = await openToBoth(t, base, 1);
    const id = idOf(await succeed(call('POST', 'pet', { json: { name: 'Rex' } })));
    const receivers = new Set<string>();
    for (let seed = 1; receivers.size < 2 && seed < 12; seed++) {
      const { headers, body } = fileUpload(await makePhoto({ seed }));
      const upload = await succeed(
        // A new connection, so that another worker may get it.
        call('POST', `pet/${id}/uploadImage`, { headers: { ...headers, connection: 'close' }, body }),
      );
      receivers.add(processOf(upload));
      const [there, here] = one?.process === processOf(upload) ? [other, one] : [one, other];
      const { text } = await succeed(there?.call('GET', `pet/${id}`) ?? assert.fail());
      const path = (JSON.parse(text) as { photoUrls: string[] }).photoUrls.at(-1)?.split('/v2/')[1] ?? '';
      for (const size of ['', '?size=small']) {
        const shown = await succeed(there?.call('GET', path + size) ?? assert.fail());
        assert.match(shown.headers.get('content-type') ?? '', /^image\//);
        const same = await succeed(here?.call('GET', path + size) ?? assert.fail());
        assert.deepEqual(same.bytes, shown.bytes);
      }
    }
    assert.equal(receivers.size, 2, 'both received a photo');
  });

  void it('--max-connections: holds for both workers together', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t), ['--max-connections', '4']);
    let closed = 0;
    const port = Number(new URL(server.origin).port);
    const sockets = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'));
    t.after(async () => sockets.forEach((socket) => socket.destroy()));
    for (const socket of sockets) socket.on('error', () => {}).on('close', () => (closed += 1));
    // Each worker takes two. More are closed where one worker accepts more than half of the eight.
    await until('four of eight connections are closed', async () => closed >= 4);
    assert.ok(closed <= 6, `${closed} were closed`);
  });
});

void describe('two workers in secured access', options, () => {
  void it('ended session, closed account, revoked key: the next request to the other worker is refused', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => removeFolder(dataDir));
    const { base } = await startTwoWorkers(t, dataDir, ['--access', 'secured']);
    const call = clientOf(base);
    const [ones, others] = await openToBoth(t, base, 2);
    const root = bearer(await logIn(call, 'root'));
    for (const [turn, [here, there]] of pairsOf(ones, others).entries()) {
      assert.notEqual(here.process, there.process);
      const token = await logIn(call, 'vera');
      // The session is cached from the second request on.
      for (let count = 0; count < 3; count++)
        for (const connection of [here, there]) assert.equal(await statusAt(connection, token), 200);
      await succeed(here.call('GET', 'user/logout', { headers: bearer(token) }));
      assert.equal(await statusAt(there, token), 401);

      const username = `editor-${turn}`;
      await succeed(here.call('POST', 'user', { headers: root, json: { username, password: PASSWORD } }));
      await succeed(there.call('PUT', `admin/users/${username}/role`, { headers: root, json: { role: 'editor' } }));
      const own = tokenOf(await here.call('POST', 'user/login', { json: { username, password: PASSWORD } }));
      const [kept, revoked] = [await createKey(call, own, ['write:pets']), await createKey(call, own, ['write:pets'])];
      for (const secret of [own, kept.key, revoked.key])
        for (const connection of [here, there]) assert.equal(await writeAt(connection, secret), 200);

      await succeed(here.call('DELETE', `account/keys/${revoked.id}`, { headers: bearer(own) }));
      assert.equal(await writeAt(there, revoked.key), 401);
      assert.equal(await writeAt(there, kept.key), 200);

      assert.equal(await statusAt(there, own), 200);
      await succeed(here.call('POST', `admin/users/${username}/close`, { headers: root }));
      assert.equal(await statusAt(there, own), 401);
      assert.equal(await writeAt(there, kept.key), 401);
    }
  });

  void it('--session-requests-per-hour: counts the requests to both workers', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => removeFolder(dataDir));
    const flags = ['--access', 'secured', '--session-requests-per-hour', String(LIMIT)];
    const { base } = await startTwoWorkers(t, dataDir, flags);
    const both = await openToBoth(t, base, 10);
    // Repeated if the hour of the clock has changed meanwhile.
    for (let hour = Number.NaN; hour !== Math.floor(Date.now() / HOUR_MS);) {
      hour = Math.floor(Date.now() / HOUR_MS);
      const headers = bearer(await logIn(clientOf(base), 'vera'));
      const responses = await Promise.all(
        Array.from({ length: 3 * LIMIT }, (_, index) =>
          (both[index % 2]?.[Math.floor(index / 2) % 10] ?? assert.fail()).call('GET', 'account', { headers }),
        ),
      );
      const later = await Promise.all(
        both.map(([connection]) => (connection ?? assert.fail()).call('GET', 'account', { headers })),
      );
      if (hour !== Math.floor(Date.now() / HOUR_MS)) continue;
      assert.equal(responses.filter(({ status }) => status === 200).length, LIMIT);
      assert.equal(responses.filter(({ status }) => status === 429).length, 2 * LIMIT);
      assert.deepEqual(
        later.map(({ status }) => status),
        [429, 429],
      );
    }
  });
});

void describe('start of several workers', options, () => {
  void it('port in use: fails with the same message as one process, and adds no samples', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const dataDir = await temporaryFolder(t);
    const args = ['serve', '--port', `${port}`, '--data-dir', dataDir];
    const ofOne = await runMenagerie(t, args);
    assert.match(ofOne.stderr, /^Menagerie cannot start: Port \d+ [^\n]+\n$/);
    // The process has ended when all its streams are closed; workers inherit them.
    assert.deepEqual(await runMenagerie(t, [...args, '--workers', '2']), ofOne);
    assert.equal(ofOne.code, 1);
    const { base } = await startTwoWorkers(t, dataDir);
    assert.equal((await fetch(`${base}/pet/1`)).status, 404, 'the start that failed left no samples behind');
  });
});
