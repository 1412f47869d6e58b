import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { fileUpload } from '../../support/multipart.ts';
import { makePhoto } from '../../support/photos.ts';
import { freePort } from '../../support/postgres-folder.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryFolder } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * A service at a path of a host, behind real proxies with the examples of the guide: API clients, and a browser.
 */

const GUIDE = resolve(import.meta.dirname, '../../../docs/guides/reverse-proxy.md');
const PATH = '/zoo';

interface ProxyWay {
  program: 'caddy' | 'nginx';
  /** Whether the proxy keeps the path in requests. */
  keepsPath: boolean;
  /** A change of the example. */
  change: readonly [from: string, to: string];
}

const WAYS: readonly ProxyWay[] = [
  { program: 'caddy', keepsPath: false, change: ['', ''] },
  { program: 'caddy', keepsPath: true, change: ['handle_path', 'handle'] },
  { program: 'nginx', keepsPath: true, change: ['', ''] },
  { program: 'nginx', keepsPath: false, change: ['8080;', '8080/;'] },
];

/** The last example for a proxy in the guide. */
async function exampleOf(program: ProxyWay['program']): Promise<string> {
  const language = { caddy: 'caddyfile', nginx: 'nginx' }[program];
  const guide = await readFile(GUIDE, 'utf8');
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].at(-1)?.[1] ?? assert.fail();
}

/** Starts the proxy with the example of the guide, on another port and for another service. */
async function startProxy(t: Lifetime, { program, change }: ProxyWay, port: number, service: string): Promise<void> {
  const folder = await temporaryFolder(t);
  const example = (await exampleOf(program))
    .replace(...change)
    .replace('127.0.0.1:8080', new URL(service).host)
    .replace('example.org {', `http://127.0.0.1:${port} {`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^\s*ssl_certificate.*\n/gm, '');
  const config = join(folder, 'config');
  const [text, args] = {
    caddy: [`{\n\tadmin off\n}\n${example}`, ['run', '--config', config, '--adapter', 'caddyfile']],
    nginx: [nginxConfig(folder, example), ['-p', folder, '-c', config]],
  }[program] as [string, string[]];
  await writeFile(config, text);
  const child = spawn(program, args, { env: { ...process.env, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  t.after(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  });
  await until('the proxy responds', async () => {
    if (child.exitCode !== null) throw new Error(`${program} has ended: ${output}`);
    return (await fetch(`http://127.0.0.1:${port}${PATH}/livez`).catch(() => undefined))?.ok === true;
  });
}

function nginxConfig(folder: string, server: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    'daemon off;',
    'master_process off;',
    `pid ${folder}/pid;`,
    'error_log stderr;',
    'events {}',
    `http {\naccess_log off;`,
    ...places.map((place) => `${place}_temp_path ${folder}/${place};`),
    `${server}}`,
  ].join('\n');
}

/** A service with a pet that has a photo, behind a proxy. */
async function startBehind(t: Lifetime, way: ProxyWay) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const flags = ['--public-url', `${origin}${PATH}`, '--trusted-proxies', '1'];
  const service = await startSecuredService(t, { flags, web: true, nodes: 1 });
  await startProxy(t, way, port, service.origin);
  const call = clientOf(`${origin}${PATH}/v2`);
  const root = bearer(await logIn(call, 'root'));
  await call('POST', 'pet', { json: { id: 1, name: 'Luna', status: 'available', tags: ['calm'] }, headers: root });
  const photo = fileUpload(await makePhoto());
  const uploaded = await call('POST', 'pet/1/uploadImage', { ...photo, headers: { ...root, ...photo.headers } });
  assert.equal(uploaded.status, 200, uploaded.text);
  return { origin, call, root };
}

for (const way of WAYS) {
  const { program, keepsPath } = way;
  const skip = spawnSync(program, ['-v']).error !== undefined && `${program} is not installed`;
  const title = `${program} that ${keepsPath ? 'keeps' : 'removes'} the path`;

  void test(`${title}: all addresses have the path`, { skip }, async (t) => {
    const { origin, call, root } = await startBehind(t, way);
    const place = `${origin}${PATH}`;
    const [, photoUrl = ''] = /"photoUrls":\["([^"]+)"\]/.exec((await call('GET', 'pet/1')).text) ?? [];
    assert.ok(photoUrl.startsWith(`${place}/v2/photo/`), photoUrl);
    assert.equal((await call('GET', `${photoUrl}/small`)).status, 200);
    await call('POST', 'pet', { json: { id: 2, name: 'Rex', status: 'available' }, headers: root });
    const page = await call('GET', 'pet/findByStatus?status=available&limit=1');
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
    assert.match((await call('GET', next)).text, /^\[\{"id":2,/);
    const { servers } = JSON.parse((await call('GET', 'openapi.json')).text) as { servers: unknown };
    assert.deepEqual(servers, [{ url: `${place}/v2` }]);
    const reset = await call('POST', 'admin/users/vera/reset-link', { headers: root });
    assert.ok(reset.text.includes(`${place}/reset-password#`), reset.text);
    const login = await call('POST', 'user/login', { json: { username: 'edna', password: PASSWORDS['edna'] } });
    assert.match(login.headers.getSetCookie()[0] ?? '', /; Path=\/zoo;/);
    // nginx drops headers with underscores by default.
    const { key } = await createKey(call, await logIn(call, 'edna'), ['write:pets']);
    assert.equal((await call('DELETE', 'pet/2', { headers: { api_key: key } })).status, 200);
    // A name that both a proxy and the service have to leave as it is.
    await call('POST', 'user', { json: { username: 'a?b 10%', password: 'a password of nobody else' }, headers: root });
    assert.equal((await call('GET', 'user/a%3Fb%2010%25', { headers: root })).status, 200);
    const events = await call('GET', 'events?lastEventId=0', { headers: { accept: 'text/event-stream' } });
    assert.ok(events.text.includes(`${place}/v2/photo/`), events.text);
    for (const path of ['/', '/pets/1', '/docs', '/manifest.webmanifest', '/readyz'])
      assert.equal((await fetch(`${place}${path}`, { headers: { accept: 'text/html, */*' } })).status, 200, path);
  });
}

for (const way of WAYS.filter(({ program, keepsPath }) => keepsPath === (program === 'nginx'))) {
  const { program } = way;
  const skip = skipWithoutBrowser || (spawnSync(program, ['-v']).error !== undefined && `${program} is not installed`);

  void test(`web application at a path behind ${program}: works`, { skip }, async (t) => {
    const { origin, call, root } = await startBehind(t, way);
    const visit = await openVisit(t, { origin });
    const { page, context } = visit;
    const outside: string[] = [];
    context.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url());
      if (protocol === 'http:' && !pathname.startsWith(`${PATH}/`)) outside.push(pathname);
    });

    await visit.open(`${PATH}/?tag=calm`);
    await page.getByRole('article').getByRole('link', { name: 'Luna' }).click();
    await page.getByRole('heading', { level: 1, name: 'Luna' }).waitFor();
    assert.equal(page.url(), `${origin}${PATH}/pets/1`);
    await page.reload();
    await visit.waitForIdle();
    assert.ok(
      await page
        .getByRole('img')
        .first()
        .evaluate((photo) => (photo as HTMLImageElement).naturalWidth > 0),
    );
    await page
      .getByRole('link', { name: /^All pets|Back/ })
      .first()
      .click();
    await page.waitForURL(new RegExp(`${PATH}/(?:\\?|$)`));

    await page.getByRole('contentinfo').getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('heading', { name: 'Unsere Tiere' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Unsere Tiere' }).waitFor();
    await page.getByRole('contentinfo').getByRole('combobox', { name: 'Sprache' }).selectOption('en');

    await visit.open(`${PATH}/pets/new`);
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
    await fillLogin(page, 'root');
    await page.waitForURL(`${origin}${PATH}/pets/new`);
    await page.getByRole('textbox', { name: /^Name/ }).fill('Miso');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(new RegExp(`${PATH}/pets/\\d+$`));
    await visit.openFollowing(`${PATH}/admin/users`);
    await page.getByRole('link', { name: 'vera' }).click();
    await page.waitForURL(`${origin}${PATH}/admin/users/vera`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'vera' }).waitFor();
    await visit.open(`${PATH}/pets/1/history`);
    await visit.waitForIdle();
    assert.ok((await page.locator(`img[src^="${PATH}/v2/photo/"]`).count()) > 0, 'a photo of an old version');
    await page.getByRole('contentinfo').getByRole('link', { name: /API/ }).click();
    await page.waitForURL(`${origin}${PATH}/docs`);
    await visit.waitForIdle();

    const reset = await call('POST', 'admin/users/vera/reset-link', { headers: root });
    const [link = ''] = /http:[^"]+/.exec(reset.text) ?? [];
    await page.goto(link);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(page.url(), `${origin}${PATH}/reset-password`);

    const cookies = await context.cookies();
    assert.deepEqual(new Set(cookies.map(({ path }) => path)), new Set([PATH]));
    assert.deepEqual(outside, []);
  });
}

async function fillLogin(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel(/^Password/).fill(PASSWORDS[username] ?? '');
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
}
