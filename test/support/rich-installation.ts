import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { openOperatorDesk } from '../../src/server/operator.ts';
import { startService } from '../../src/server/service.ts';
import { clientOf, type HttpResponse, type Call, type CallOptions } from './client.ts';
import { fileUpload } from './multipart.ts';
import { makePhoto } from './photos.ts';
import type { Lifetime } from './lifetime.ts';
import { testConfig } from './service.ts';

/*
 * An installation with records of every kind, made by the service itself, and what clients see of it, for comparison
 * with another installation.
 */

export const ROOT = { username: 'root', password: 'seven purple gibbons sing at noon' } as const;
const MAX_INT64 = '9223372036854775807';

export interface Credentials {
  session: string;
  key: string;
  /** The token of an unused reset link. */
  resetToken: string;
}

export interface Running {
  origin: string;
  call: Call;
  stop: () => Promise<void>;
}

/** Serves this folder, or the database of the flags; stopped after the test. */
export async function serveOn(t: Lifetime, dataDir: string, flags: readonly string[] = []): Promise<Running> {
  const config = testConfig(dataDir, ['--empty', '--access', 'secured', ...flags]);
  const service = await startService(config, pino({ level: 'silent' }));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(stop);
  return { origin: service.origin, call: clientOf(`${service.origin}/v2`), stop };
}

/** Fills a new data folder, and stops the service. */
export async function makeRichInstallation(t: Lifetime, dataDir: string): Promise<Credentials> {
  const desk = await openOperatorDesk(testConfig(dataDir), true);
  await desk.administration.createUser(desk.operator, { ...ROOT, role: 'admin' });
  await desk.close();
  const { call, stop } = await serveOn(t, dataDir);
  const session = await logIn(call);
  const as = (method: string, path: string, options: CallOptions = {}) =>
    requireSuccess(call, method, path, {
      ...options,
      headers: { authorization: `Bearer ${session}`, ...options.headers },
    });
  await addPets(as);
  await addPhotos(as);
  await addAccounts(as);
  await addWebhook(as);
  await addOrganisation(as);
  const { key } = JSON.parse(
    (
      await as('POST', 'account/keys', {
        json: { name: 'Schlüssel 🔑', scopes: ['read:pets', 'write:pets'] },
        headers: { 'idempotency-key': '2f1b0c5e-4c5a-4f0e-9d51-6f0c8d1f7a11' },
      })
    ).text,
  ) as { key: string };
  const link = JSON.parse((await as('POST', 'admin/users/σίσυφος/reset-link')).text) as { token: string };
  await call('POST', 'user/login', { json: { username: 'root', password: 'a wrong guess' } });
  await stop();
  await leaveTraces(dataDir);
  return { session, key, resetToken: link.token };
}

type Ask = (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;

async function addPets(as: Ask): Promise<void> {
  const ofMaxId = `{"id":${MAX_INT64},"name":"Ω 🐕‍🦺 \\" \\\\ é","photoUrls":["http://example.org/ä.jpg"]}`;
  await as('POST', 'pet', { body: Buffer.from(ofMaxId), headers: { 'content-type': 'application/json' } });
  for (const [index, name] of ['Rex', 'Zoë', '猫', '🦜', 'Last'].entries()) {
    const tags = [{ id: index, name: 'alle' }, { name: `Tag ${name}` }];
    const status = ['available', 'pending', 'sold'][index % 3];
    await as('POST', 'pet', { json: { name, photoUrls: [], tags, status, category: { id: index, name } } });
  }
  await as('PUT', 'pet', { json: { id: 1, name: 'Rex II', photoUrls: [], tags: [{ name: 'é' }, { name: 'é' }] } });
  await as('POST', 'pet/2', { form: { name: 'Zoé', status: 'sold' } });
  const profile = { species: 'dog', breedPrimary: 'Boxer', externalId: 'A-1', unit: 'K 7', description: '**Calm** 🐕' };
  await as('PUT', 'pet/2/profile', { json: profile });
  await as('DELETE', 'pet/5');
  await as('DELETE', 'pet/4');
  // Restored under its old id, with its history.
  await as('POST', 'pet', { json: { id: 4, name: 'Back', photoUrls: [] } });
}

async function addPhotos(as: Ask): Promise<void> {
  for (const [petId, seed] of [
    ['1', 1],
    ['2', 2],
    ['3', 3],
    [MAX_INT64, 1],
  ] as const) {
    const photoBytes = await makePhoto({ seed, width: 900, height: 400 });
    await as('POST', `pet/${petId}/uploadImage`, fileUpload(photoBytes));
  }
  const { photoUrls } = JSON.parse((await as('GET', 'pet/1')).text) as { photoUrls: string[] };
  for (const size of ['small', 'medium']) await as('GET', `${photoUrls.at(-1)}/${size}`);
  // No pet refers to the third photo any more.
  await as('PUT', 'pet', { json: { id: 3, name: '猫', photoUrls: [] } });
}

async function addAccounts(as: Ask): Promise<void> {
  const profile = {
    firstName: 'Σίσυφος',
    lastName: 'O"Hara\\, {x}',
    email: 'a@example.org',
    phone: '+1 😀',
    userStatus: 7,
  };
  const password = 'quiet otters juggle yellow lemons';
  await as('POST', 'user/createWithList', {
    json: [
      { username: 'σίσυφος', ...profile, password },
      // The id of root.
      { username: 'Closed', id: 1, password },
      { username: 'gone', id: 4000, password },
    ],
  });
  await as('POST', 'admin/users/closed/close');
  await as('DELETE', 'user/gone');
}

/** A paused webhook, which sends nothing, while its secret is being rotated. */
async function addWebhook(as: Ask): Promise<void> {
  const { text } = await as('POST', 'admin/webhooks', { json: { url: 'https://pets.invalid/ä?🦜', events: ['*'] } });
  const { id } = JSON.parse(text) as { id: string };
  await as('PATCH', `admin/webhooks/${id}`, { json: { paused: true } });
  await as('POST', `admin/webhooks/${id}/secret-rotation`);
}

async function addOrganisation(as: Ask): Promise<void> {
  const locations = [{ name: 'Große Weide 🐕', latitude: 52.5, longitude: -13.25 }];
  await as('PUT', 'organisation', { json: { name: 'Tierheim "Ω"', about: 'Zeile 1\nZeile 2', locations } });
  // The photo of a pet.
  await as('PUT', 'organisation/logo', fileUpload(await makePhoto({ seed: 2, width: 900, height: 400 })));
  const label = { en: 'Lap dog', de: 'Schoßhund' };
  const fields = [{ key: 'lapDog', type: 'yes-no-unknown', label, isPublic: false }];
  await as('PUT', 'own-fields', { json: { fields } });
}

/** The effects of age: the oldest audit entries are deleted, and there is a file without an entry in the index. */
async function leaveTraces(dataDir: string): Promise<void> {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'));
  db.exec('delete from audit where id <= 2');
  db.exec(`insert into webhook_delivery (webhook_id, version, attempts, next_at_ms, dead, last_error, last_at_ms)
    select id, 1, 9, 0, 1, 'not reached (ENOTFOUND)', 1 from webhook`);
  db.exec(`insert into request_lease (key, hour, spent) values ('session x', 7, 100), ('Session x', 7, 1)`);
  db.close();
  const stray = Buffer.from('a stray');
  const digest = hash('sha256', stray);
  const folder = join(dataDir, 'photos', digest.slice(0, 2), digest);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'original'), stray);
}

/** The records as clients see them, as a text to compare, without the host and times of last use. */
export async function seenBy(call: Call, { session, key }: Credentials): Promise<string> {
  const seen: string[] = [];
  for (const [path, secret] of [
    ['pet/findByStatus?status=available&status=pending&status=sold', session],
    ['pet/findByTags?tags=alle&tags=%C3%A9', key],
    ...['1', '2', '3', '4', MAX_INT64].map((id) => [`pet/${id}`, key] as const),
    ['admin/users?limit=1000', session],
    ['admin/users?text=%CF%83%CE%AF%CF%83%CF%85%CF%86%CE%BF%CF%83', session],
    ['account/keys', session],
    ['organisation', session],
    ['own-fields', session],
    ['admin/audit?action=pet', session],
  ] as const) {
    const { text, headers } = await requireSuccess(call, 'GET', path, {
      headers: { authorization: `Bearer ${secret}` },
    });
    seen.push(
      `${path} ${headers.get('etag')}\n${text.replaceAll(/http:\/\/127\.0\.0\.1:\d+|"lastUsedAt":"[^"]*"/g, '')}`,
    );
  }
  const photos = seen.flatMap((text) => text.match(/(?<="\/v2\/)photo\/[0-9a-f]{64}(?=")/g) ?? []);
  for (const photo of new Set(photos)) {
    for (const size of ['', '/small', '/large'])
      seen.push(`${photo}${size} ${hash('sha256', (await requireSuccess(call, 'GET', `${photo}${size}`)).bytes)}`);
  }
  return seen.join('\n');
}

/** All pets as NDJSON, without the host. */
export async function exportedPets(call: Call): Promise<string> {
  const { text } = await requireSuccess(call, 'GET', 'export/pets');
  return text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '');
}

/** Whether sequences continue: a new pet and its version, a new account, a new audit entry. */
export async function continueSequences(call: Call, { session }: Credentials): Promise<string[]> {
  const headers = { authorization: `Bearer ${session}` };
  const pet = await requireSuccess(call, 'POST', 'pet', { headers, json: { name: 'New', photoUrls: [] } });
  await requireSuccess(call, 'POST', 'user/createWithList', { headers, json: [{ username: 'newest' }] });
  const user = await requireSuccess(call, 'GET', 'admin/users/newest', { headers });
  const ids = [pet, user].map(({ text }) => String((JSON.parse(text) as { id: number }).id));
  return [...ids, String(pet.headers.get('etag'))];
}

export async function logIn(call: Call): Promise<string> {
  const { text } = await requireSuccess(call, 'POST', 'user/login', { json: ROOT });
  return /:([\w-]{43})"$/.exec(text)?.[1] ?? assert.fail(text);
}

async function requireSuccess(call: Call, method: string, path: string, options?: CallOptions): Promise<HttpResponse> {
  const response = await call(method, path, options);
  assert.equal(response.status, 200, `${method} ${path}: ${response.text.slice(0, 300)}`);
  return response;
}

/** The contents of a data folder's database, table by table, in SQL independent of the stores. */
export function contentsOf(dataDir: string): Record<string, string[]> {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true, readBigInts: true });
  try {
    // `stray_photo` lists files without an entry, `sign_in_step` ends within minutes, and certificates are obtained
    // again: backups have none of them.
    // The shadow tables of full-text indexes depend on the order of changes.
    const tables = db
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual') and name not in ('sqlite_schema', 'stray_photo', 'sign_in_step', 'certificate', 'certificate_challenge')
         order by name`,
      )
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => [
        String(name),
        db
          .prepare(`select * from ${String(name)}`)
          .all()
          // A count of zero may or may not have a row.
          .filter(({ count }) => count !== 0n || name !== 'pet_count')
          .map((row) =>
            JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
          )
          .toSorted(),
      ]),
    );
  } finally {
    db.close();
  }
}

/** The originals in a folder of photos, as paths. */
export async function originalsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('original') && !name.startsWith('trash')).toSorted();
}
