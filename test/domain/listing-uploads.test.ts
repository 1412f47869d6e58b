import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { UploadActivity } from '../../src/features/listings/domain/upload-activity.ts';
import { markOf } from '../../src/features/listings/domain/ports.ts';
import { ListingUploads, type UploadedFile } from '../../src/features/listings/domain/listing-uploads.ts';
import { readUploadUrl } from '../../src/features/listings/uploads/upload-url.ts';
import { putPet, STAMP } from '../support/changes.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';
import { until } from '../support/until.ts';

/* When files are uploaded to listing sites. */

const MINUTE_MS = 60_000;

async function start() {
  const stores = await openSqliteStores({ after });
  const state = { nowMs: 10_000_000, text: 'one', failure: undefined as string | undefined };
  const hold = { started: Promise.withResolvers<AbortSignal>(), ended: Promise.resolve() };
  const renewals = new Set<() => void>();
  const events: string[] = [];
  const activity = new UploadActivity();
  const sent: (readonly UploadedFile[])[] = [];
  const newProcess = () =>
    new ListingUploads({
      ...stores,
      sites: ['open'],
      readListed: async () => ({ organisation: {}, pets: Readable.from([]) }),
      textsOf: () => Readable.from([state.text]),
      newDigest() {
        let texts = '';
        return { update: (text) => void (texts += text), read: () => texts };
      },
      async send(_site, files, signal) {
        hold.started.resolve(signal);
        await hold.ended;
        signal.throwIfAborted();
        if (state.failure !== undefined) throw new Error(state.failure);
        sent.push(files);
      },
      clock: () => state.nowMs,
      claimMs: MINUTE_MS,
      repeat(renew) {
        renewals.add(renew);
        return () => renewals.delete(renew);
      },
      activity,
      onOutage: (_site, error) => events.push(error),
      onReached: (_site, failedForMs) => events.push(`${failedForMs / MINUTE_MS} minutes`),
    });
  const uploads = newProcess();
  const { signal } = new AbortController();
  return {
    stores,
    state,
    events,
    activity,
    sent,
    hold,
    renewals,
    /** Looks for changes after this time. */
    later: async (ms: number, by = uploads): Promise<number> => {
      state.nowMs += ms;
      await by.run(signal);
      return sent.length;
    },
    newProcess,
    switchTo: (isOn: boolean) => stores.listings.apply({ kind: 'switch', site: 'open', isOn, stamp: STAMP }),
    uploadState: async () => (await stores.listings.find('open')).upload,
  };
}

void test('uploads: a site that never got a file gets none while it is off, then the empty one', async () => {
  const { later, switchTo, state, sent } = await start();
  assert.equal(await later(0), 0);
  await switchTo(true);
  assert.equal(await later(5000), 1);
  assert.deepEqual(sent, [[{ name: 'pets.json', text: 'one' }]]);
  await switchTo(false);
  state.text = '';
  assert.equal(await later(5000), 1, 'more changes may follow');
  assert.equal(await later(10_000), 2);
  assert.deepEqual(sent[1], [{ name: 'pets.json', text: '' }]);
});

void test('uploads: changes that follow each other are sent together, but not later than a minute', async () => {
  const { later, switchTo, stores, state } = await start();
  await switchTo(true);
  await later(0);
  state.text = 'two';
  await stores.pets.apply(putPet({ name: 'Rex' }));
  assert.equal(await later(5000), 1);
  assert.equal(await later(9000), 1);
  assert.equal(await later(1000), 2, 'ten seconds without a change');
  state.text = 'three';
  let uploads = 2;
  for (let seconds = 0; seconds < 70; seconds += 5) {
    await stores.pets.apply(putPet({ name: 'Max' }));
    uploads = await later(5000);
  }
  assert.equal(uploads, 3);
});

void test('uploads: every hour, also without a change', async () => {
  const { later, switchTo } = await start();
  await switchTo(true);
  await later(0);
  assert.equal(await later(59 * MINUTE_MS), 1);
  assert.equal(await later(MINUTE_MS), 2);
});

void test('uploads: a failure is repeated with growing delays, and recorded until one succeeds', async () => {
  const { later, switchTo, state, uploadState, sent } = await start();
  await switchTo(true);
  state.failure = '530 Login incorrect';
  await later(0);
  assert.deepEqual([(await uploadState()).error, (await uploadState()).attempts], ['530 Login incorrect', 1]);
  await later(30_000);
  assert.equal((await uploadState()).attempts, 1, 'not before the delay has passed');
  await later(30_000);
  assert.equal((await uploadState()).attempts, 2);
  await later(MINUTE_MS);
  assert.equal((await uploadState()).attempts, 2, 'the delay doubles');
  state.failure = undefined;
  await later(MINUTE_MS);
  assert.deepEqual([sent.length, (await uploadState()).error], [1, undefined]);
});

void test('uploads: an outage is reported when it begins and when it ends, whichever process uploads', async () => {
  const { later, switchTo, state, events, activity, newProcess } = await start();
  await switchTo(true);
  state.failure = '530 Login incorrect';
  await later(0);
  await later(MINUTE_MS, newProcess());
  assert.deepEqual(events, ['530 Login incorrect']);
  state.failure = undefined;
  await later(2 * MINUTE_MS, newProcess());
  assert.deepEqual(events, ['530 Login incorrect', '3 minutes']);
  assert.deepEqual(activity.outcomes.get('open'), { sent: 1, failed: 2 });
});

void test('uploads: a request is met at once, also without a change and before the next attempt', async () => {
  const { later, switchTo, stores, state } = await start();
  const request = () =>
    stores.listings.apply({ kind: 'request', site: 'open', stamp: { ...STAMP, atMs: state.nowMs } });
  await switchTo(true);
  await later(0);
  await request();
  assert.equal(await later(1000), 2);
  assert.equal(await later(1000), 2, 'once');
  state.failure = '530 Login incorrect';
  await request();
  await later(1000);
  state.failure = undefined;
  assert.equal(await later(1000), 2);
  await request();
  assert.equal(await later(1000), 3);
});

void test('uploads: a change is known to all processes as sent, and to none before', async () => {
  const { later, switchTo, stores, newProcess, uploadState } = await start();
  await switchTo(true);
  await later(0);
  const mark = async () => markOf(await stores.changeFeed.lastVersion(), await stores.listings.find('open'));
  assert.equal((await uploadState()).sentMark, await mark());
  await stores.pets.apply(putPet({ name: 'Rex' }));
  assert.notEqual((await uploadState()).sentMark, await mark());
  await later(5000);
  assert.equal(await later(10_000), 1, 'the change is not in the file');
  assert.equal((await uploadState()).sentMark, await mark());
  assert.equal(await later(5000, newProcess()), 1);
});

void test('uploads: one process uploads at a time, and a restarted one sends only what is new', async () => {
  const { later, switchTo, state, newProcess, stores } = await start();
  await switchTo(true);
  await stores.listings.apply({ kind: 'claim', site: 'open', nowMs: state.nowMs, claimMs: MINUTE_MS });
  assert.equal(await later(1000), 0, 'another process has the claim');
  assert.equal(await later(MINUTE_MS, newProcess()), 1);
  await stores.pets.apply(putPet({ name: 'Rex' }));
  assert.equal(await later(MINUTE_MS, newProcess()), 1, 'the same file');
  state.text = 'two';
  await stores.pets.apply(putPet({ name: 'Max' }));
  assert.equal(await later(MINUTE_MS, newProcess()), 2);
});

void test('uploads: a process that waited sends the change when the one that was killed has no claim any more', async () => {
  const { later, switchTo, state, stores } = await start();
  await switchTo(true);
  await later(0);
  state.text = 'two';
  await switchTo(true);
  await later(5000);
  await stores.listings.apply({ kind: 'claim', site: 'open', nowMs: state.nowMs, claimMs: MINUTE_MS });
  assert.equal(await later(30_000), 1, 'the claim of the process that was killed');
  assert.equal(await later(30_000), 2);
});

void test('uploads: a claim is renewed during a slow upload, which ends when the claim is lost', async () => {
  const { later, switchTo, state, stores, newProcess, hold, renewals, uploadState } = await start();
  await switchTo(true);
  const held = Promise.withResolvers<void>();
  hold.ended = held.promise;
  const slow = later(0);
  const signal = await hold.started.promise;
  const firstEndMs = state.nowMs + MINUTE_MS;
  state.nowMs += MINUTE_MS - 1;
  for (const renew of renewals) renew();
  const claim = { kind: 'claim', site: 'open', claimMs: MINUTE_MS } as const;
  await until('the claim was renewed', async () => {
    const first = { kind: 'renew', site: 'open', untilMs: firstEndMs, nextMs: firstEndMs } as const;
    return (await stores.listings.apply(first)) === 0;
  });
  assert.equal(await later(30_000, newProcess()), 0, 'the claim lasts longer');
  state.nowMs += MINUTE_MS;
  assert.equal(await stores.listings.apply({ ...claim, nowMs: state.nowMs }), 1);
  for (const renew of renewals) renew();
  assert.ok(signal.aborted);
  held.resolve();
  assert.equal(await slow, 0);
  assert.equal((await uploadState()).error, undefined, 'the process that has the claim reports');
  assert.equal(renewals.size, 0);
});

void test('uploads: a process that waited does not send the same files again', async () => {
  const { later, switchTo, stores, state, newProcess } = await start();
  await switchTo(true);
  const other = newProcess();
  await stores.listings.apply({ kind: 'claim', site: 'open', nowMs: state.nowMs, claimMs: MINUTE_MS });
  assert.equal(await later(5000, other), 0);
  assert.equal(await later(MINUTE_MS), 1);
  assert.equal(await later(5000, other), 1);
});

void test('upload URL: a server, a folder, the name of the table, and what identifies the server', () => {
  const KEY = `SHA256:${'a'.repeat(43)}`;
  const petfinder = readUploadUrl('ftp://XX123:s%40cret@members.petfinder.com/import/XX123.csv');
  assert.ok(typeof petfinder === 'object');
  const { protocol, port, user, password, folder, fileName } = petfinder;
  assert.deepEqual(
    [protocol, port, user, password, folder, fileName],
    ['ftp', 21, 'XX123', 's@cret', 'import', 'XX123.csv'],
  );
  const sftp = readUploadUrl(`sftp://u:p@host:2222/a/b/?host-key=${KEY}`);
  assert.deepEqual(typeof sftp === 'object' && [sftp.port, sftp.folder, sftp.fileName, sftp.hostKey], [
    2222,
    'a/b',
    undefined,
    KEY,
  ]);
  const wrong = [
    'http://u:p@host/',
    'ftp://host/',
    'ftp://u@host/',
    'sftp://u:p@host/',
    'ftps://u:p@host/?tls=never',
    'ftp://u:p%@host/',
    `sftp://u@host/?host-key=${KEY}`,
    `ftp://u:p@host/?host-key=${KEY}`,
  ];
  for (const url of wrong) {
    const problem = readUploadUrl(url);
    assert.ok(typeof problem === 'string' && !problem.includes('u:p'), url);
  }
});
