import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uploadFiles } from '../../src/features/listings/uploads/uploader.ts';
import { readUploadUrl } from '../../src/features/listings/uploads/upload-url.ts';
import { startFtpReceiver } from '../support/ftp-receiver.ts';
import type { Lifetime } from '../support/lifetime.ts';

/* Uploads to FTP servers that refuse commands. `test/faults/listing-uploads.test.ts` has real servers. */

/** Replaces the file of a server that gives other replies to some commands. */
async function replaceOn(t: Lifetime, replies: Readonly<Record<string, string>>) {
  const refused = (line: string) => Object.entries(replies).find(([start]) => line.startsWith(start))?.[1];
  const site = await startFtpReceiver(t, refused);
  site.files.set('pets.csv', 'old');
  const target = readUploadUrl(`${site.url}/`);
  assert.ok(typeof target === 'object');
  const { signal } = new AbortController();
  const file = { name: 'pets.csv', text: 'new' };
  const failure = await uploadFiles(target, [file], { timeoutMs: 10_000, signal }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const commands = site.commands.map((line) => line.split(' ')[0]);
  return { failure, files: Object.fromEntries(site.files), deleted: commands.includes('DELE'), site };
}

const NEW = { 'pets.csv': 'new' };

void test('FTP upload: a server that refuses to rename gets the file under its name, and nothing else is deleted', async (t) => {
  const { failure, files, site } = await replaceOn(t, { RNFR: '550 Not allowed' });
  assert.equal(failure, undefined);
  assert.deepEqual(files, NEW);
  assert.deepEqual(
    site.commands.filter((line) => line.startsWith('DELE')),
    ['DELE .pets.csv.part'],
  );
});

void test('FTP upload: a server that refuses names with a dot gets the file under its name', async (t) => {
  for (const reply of ['553 Name not allowed', '550 Prohibited file name']) {
    const { failure, files } = await replaceOn(t, { 'STOR .': reply });
    assert.equal(failure, undefined);
    assert.deepEqual(files, NEW);
  }
});

void test('FTP upload: a server that never renames to a known name gets the file after it has deleted that', async (t) => {
  const site = await replaceOn(t, { RNTO: '553 Never' });
  assert.deepEqual([site.failure, site.files, site.deleted], [undefined, NEW, true]);
});

void test('FTP upload: the file of a server that is full, or busy, stays as it was', async (t) => {
  for (const replies of [
    { 'STOR .': '552 No space' },
    { 'STOR .': '452 No space' },
    { RNFR: '450 Busy' },
    { RNTO: '450 Busy' },
  ]) {
    const { failure, files, deleted } = await replaceOn(t, replies);
    assert.match(failure ?? '', /No space|Busy/);
    assert.deepEqual([files['pets.csv'], deleted], ['old', false]);
  }
});

void test('FTP upload: what is wrong with passive connections is said to those who run the server', async (t) => {
  const other = await replaceOn(t, { EPSV: '502 No', PASV: '227 Passive (10,0,0,5,100,1)' });
  assert.match(other.failure ?? '', /names another address than its own for files: 10\.0\.0\.5\. .*\(PASV\)/);
  const none = await replaceOn(t, { EPSV: '502 No', PASV: '502 Never' });
  assert.match(none.failure ?? '', /did not open a passive connection for files \(EPSV or PASV\): 502 Never$/);
  assert.doesNotMatch(`${other.failure}${none.failure}`, /basic-ftp|strateg|paramter/);
});
