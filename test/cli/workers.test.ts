import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { rm } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { runCommand } from '../support/operator-commands.ts';
import { clientOf } from '../support/client.ts';
import type { Connection } from '../support/connection.ts';
import { idOf, Load, succeed } from '../support/load.ts';
import { runMenagerie } from '../support/menagerie-process.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePicture } from '../support/pictures.ts';
import { bearer, createKey, logIn, newSecuredFolder, tokenOf } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';
import { openKnown, openToBoth, processOf, startTwoWorkers, until, type KnownConnection } from '../support/workers.ts';

/*
 * Several processes that answer on one database: they promise what one process promises.
 */

const options = { skip: process.platform !== 'linux' && 'finds the processes as Linux shows them' };

const HOUR_MS = 3_600_000;
const LIMIT = 40;
const PASSWORD = 'twelve green parrots read the news';

/** Both ways: what is done here is looked at there. */
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

void describe('several workers, as one server', options, async () => {
  const { base, origin } = await startTwoWorkers({ after }, await temporaryFolder({ after }));

  void it('share the connections', async (t) => {
    const connections = await Promise.all(Array.from({ length: 8 }, () => openKnown(base)));
    t.after(async () => connections.forEach(({ close }) => close()));
    // Whichever is free first gets the next: not necessarily half of them each.
    assert.equal(new Set(connections.map((connection) => connection.process)).size, 2);
    for (let count = 0; count < 4; count++) {
      const answer = await fetch(`${origin}/readyz`, { headers: { connection: 'close' } });
      assert.equal(answer.status, 200, await answer.text());
    }
  });

  void it('show each other at once what is acknowledged, while others write', async (t) => {
    const call = clientOf(base);
    const load = new Load(t, base, 4);
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
          // On whatever connection: the answer tells who gave it, and who is the other.
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
    assert.equal(new Set(ids).size, ids.length, 'each id is given once');
    await load.check([...ones, ...others]);
  });

  void it('let one of many replaces with the same ETag win', async (t) => {
    const both = await openToBoth(t, base, 6);
    const pet = await succeed(both[0][0]?.call('POST', 'pet', { json: { name: 'Rex' } }) ?? assert.fail());
    const id = idOf(pet);
    let etag = pet.headers.get('etag') ?? '';
    for (let round = 0; round < 25; round++) {
      const answers = await Promise.all(
        both
          .flat()
          .map(({ call }, index) =>
            call('PUT', 'pet', { headers: { 'if-match': etag }, json: { id: Number(id), name: `${round}/${index}` } }),
          ),
      );
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
      assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 412)]);
      const winner = answers.find(({ status }) => status === 200) ?? assert.fail();
      for (const [connection] of both) {
        const seen = await succeed(connection?.call('GET', `pet/${id}`) ?? assert.fail());
        assert.equal(seen.text, winner.text);
        assert.equal(seen.headers.get('etag'), winner.headers.get('etag'));
      }
      etag = winner.headers.get('etag') ?? '';
    }
  });

  void it('show the pictures that came to the other', async (t) => {
    const call = clientOf(base);
    const [[one], [other]] = await openToBoth(t, base, 1);
    const id = idOf(await succeed(call('POST', 'pet', { json: { name: 'Rex' } })));
    const takers = new Set<string>();
    for (let seed = 1; takers.size < 2 && seed < 12; seed++) {
      const { headers, body } = fileUpload(await makePicture({ seed }));
      const upload = await succeed(
        // With a connection of its own, so that it comes to another worker than the one before.
        call('POST', `pet/${id}/uploadImage`, { headers: { ...headers, connection: 'close' }, body }),
      );
      takers.add(processOf(upload));
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
    assert.equal(takers.size, 2, 'both took a picture in');
  });

  void it('do not take more connections than one server would, and send the others away', async (t) => {
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

void describe('several workers in secured access', options, () => {
  void it('end a session, an account and a key for each other, with the very next request', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const { base } = await startTwoWorkers(t, dataDir, ['--access', 'secured']);
    const call = clientOf(base);
    const [ones, others] = await openToBoth(t, base, 2);
    const root = bearer(await logIn(call, 'root'));
    for (const [turn, [here, there]] of pairsOf(ones, others).entries()) {
      assert.notEqual(here.process, there.process);
      const token = await logIn(call, 'vera');
      // More than once: from the second time on, the session is remembered.
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

  void it('count the requests of a session together', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const flags = ['--access', 'secured', '--session-requests-per-hour', String(LIMIT)];
    const { base } = await startTwoWorkers(t, dataDir, flags);
    const both = await openToBoth(t, base, 10);
    // The clock is the machine's: where an hour ends in between, it is done once more.
    for (let hour = Number.NaN; hour !== Math.floor(Date.now() / HOUR_MS);) {
      hour = Math.floor(Date.now() / HOUR_MS);
      const headers = bearer(await logIn(clientOf(base), 'vera'));
      const answers = await Promise.all(
        Array.from({ length: 3 * LIMIT }, (_, index) =>
          (both[index % 2]?.[Math.floor(index / 2) % 10] ?? assert.fail()).call('GET', 'account', { headers }),
        ),
      );
      const later = await Promise.all(
        both.map(([connection]) => (connection ?? assert.fail()).call('GET', 'account', { headers })),
      );
      if (hour !== Math.floor(Date.now() / HOUR_MS)) continue;
      assert.equal(answers.filter(({ status }) => status === 200).length, LIMIT);
      assert.equal(answers.filter(({ status }) => status === 429).length, 2 * LIMIT);
      assert.deepEqual(
        later.map(({ status }) => status),
        [429, 429],
      );
    }
  });
});

void describe('several workers refuse to start', options, () => {
  void it('on a port that another program uses, with the words of one, and leave nothing behind', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const dataDir = await temporaryFolder(t);
    const args = ['serve', '--port', `${port}`, '--data-dir', dataDir];
    const ofOne = await runMenagerie(t, args);
    assert.match(ofOne.stderr, /^Menagerie cannot start: Port \d+ [^\n]+\n$/);
    // It has ended when nobody has its streams open any more, and a worker has them.
    assert.deepEqual(await runMenagerie(t, [...args, '--workers', '2']), ofOne);
    assert.equal(ofOne.code, 1);
    const { base } = await startTwoWorkers(t, dataDir);
    assert.equal((await fetch(`${base}/pet/1`)).status, 404, 'the start that failed left no samples behind');
  });

  for (const count of ['0', '65', 'x']) {
    void it(`when they are to be ${count}`, async () => {
      const ended = await runCommand(['serve', '--port', '0', '--workers', count]);
      const sentence = '- --workers (MENAGERIE_WORKERS) must be a whole number from 1 to 64.';
      const stderr = `Menagerie cannot start:\n${sentence}\n`;
      assert.deepEqual(ended, { code: 2, signal: null, stdout: '', stderr });
    });
  }
});
