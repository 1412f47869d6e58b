import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { canaryName, canaryPassword, formsOf, leaksIn, rawFilesOf, type Canary } from '../support/canaries.ts';
import { clientOf, type HttpResponse, type CallOptions } from '../support/client.ts';
import { codeAt } from '../support/factors.ts';
import { startServer, type Ended, type RunningServer } from '../support/menagerie-process.ts';
import { commandsOn } from '../support/operator-commands.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/** Output of the service or of a command. */
interface Output {
  what: string;
  text: string;
  /** The secrets that it is meant to contain. */
  carries: string[];
}

/** Collects all secrets that were used, and all outputs. */
class Rehearsal {
  readonly canaries: Canary[] = [];
  readonly outputs: Output[] = [];
  /** Number of responses by status: a rehearsal in which every request fails proves nothing. */
  readonly statuses = new Map<number, number>();
  readonly #run: ReturnType<typeof commandsOn>;
  #server: RunningServer | undefined;

  constructor(dataDir: string) {
    this.#run = commandsOn(dataDir);
  }

  use(server: RunningServer): void {
    this.#server = server;
  }

  password(what: string): string {
    return this.#keep(canaryPassword(what));
  }

  name(what: string): string {
    return this.#keep(canaryName(what));
  }

  /** @returns the secret, which this output is meant to contain */
  found(what: string, secret: string | undefined, output: Output): string {
    assert.ok(secret !== undefined && secret.length >= 24, `${what}: ${output.text}`);
    output.carries.push(secret);
    return this.#keep({ what, secret });
  }

  #keep(canary: Canary): string {
    this.canaries.push(canary);
    return canary.secret;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Output & { response: HttpResponse }> {
    const response = await clientOf(this.#server?.base ?? '')(method, path, options);
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    const text = `${response.status}\n${[...response.headers].map((header) => header.join(': ')).join('\n')}\n\n${response.text}`;
    const output = { what: `the response to ${method} ${path.slice(0, 60)}`, text, carries: [], response };
    this.outputs.push(output);
    return output;
  }

  /** A call that must succeed. */
  async succeed(method: string, path: string, options: CallOptions = {}): Promise<Output & { response: HttpResponse }> {
    const output = await this.call(method, path, options);
    assert.equal(output.response.status, 200, `${output.what}: ${output.text}`);
    return output;
  }

  async logIn(username: string, password: string, how: 'query' | 'body' | 'plain' = 'body'): Promise<string> {
    const query = new URLSearchParams({ username, password }).toString();
    const output =
      how === 'body'
        ? await this.succeed('POST', 'user/login', { json: { username, password } })
        : await this.succeed('GET', `user/login?${query}`, {
            headers: { accept: how === 'plain' ? 'text/plain' : '*/*' },
          });
    return this.found(`a session token of ${username}`, /session:([\w-]{43})/.exec(output.response.text)?.[1], output);
  }

  async raw(what: string, bytes: string): Promise<void> {
    const { text } = await rawExchange(this.#server?.origin ?? '', Buffer.from(bytes).toString('latin1'));
    this.outputs.push({ what: `the response to ${what}`, text, carries: [] });
  }

  async command(args: readonly string[], input = ''): Promise<Output & { ended: Ended }> {
    const ended = await this.#run(args, input);
    const output = {
      what: `menagerie ${args.join(' ')}`,
      text: `${ended.stdout}\n${ended.stderr}`,
      carries: [],
      ended,
    };
    this.outputs.push(output);
    return output;
  }

  leaks(): string[] {
    return this.outputs.flatMap(({ what, text, carries }) =>
      leaksIn(
        what,
        text,
        this.canaries.filter(({ secret }) => !carries.includes(secret)),
      ),
    );
  }

  /** Makes a backup. @returns leaks in its rows, which must have this text */
  async leaksInBackup(folder: string, carried: string): Promise<string[]> {
    assert.equal((await this.command(['backup', folder])).ended.code, 0);
    const files = (await rawFilesOf(folder)).map(({ path, bytes }) => ({
      path,
      bytes: path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes,
    }));
    const all = Buffer.concat(files.map(({ bytes }) => bytes));
    assert.ok(all.includes('$argon2id$') && all.includes('canary-keeper') && all.includes(carried));
    assert.ok(files.some(({ path }) => path.includes('recovery_code-')));
    assert.ok(!files.some(({ path }) => path.includes('sign_in_step')));
    return files.flatMap(({ path, bytes }) => leaksIn(`${path} of a backup`, bytes, this.canaries));
  }

  async leaksOnDisk(when: string, dataDir: string): Promise<string[]> {
    const files = await rawFilesOf(dataDir);
    // These are the files with the data.
    const all = Buffer.concat(files.map(({ bytes }) => bytes));
    assert.ok(all.includes('$argon2id$') && all.includes('canary-keeper'), when);
    return files.flatMap(({ path, bytes }) => leaksIn(`${path} ${when}`, bytes, this.canaries));
  }
}

async function handlePasswords(all: Rehearsal, root: string): Promise<string> {
  const keeper = all.password('the password at sign-up');
  const asRoot = { headers: bearer(root) };
  await all.succeed('POST', 'user', { json: { username: 'canary-keeper', password: keeper } });
  for (const method of ['createWithArray', 'createWithList']) {
    const json = ['a', 'b'].map((name) => ({
      username: `${method}-${name}`,
      password: all.password(`a password of ${method}`),
    }));
    await all.succeed('POST', `user/${method}`, { ...asRoot, json });
    await all.call('POST', `user/${method}`, { ...asRoot, json });
    const wrong = [
      json[0],
      { username: 'c', password: [all.password('a password in a list')] },
      { password: all.password('a password without a name') },
    ];
    await all.call('POST', `user/${method}`, { ...asRoot, json: wrong });
    await all.call('POST', `user/${method}`, { json });
  }

  const misplaced = all.name('a password as the user name');
  const bodies: unknown[] = [
    { username: 'canary-keeper', password: all.password('the password for a taken name') },
    { username: 'x', password: { nested: all.password('a password in an object') } },
    { username: 'x', password: [all.password('a password in a list')] },
    {
      username: { oops: all.password('a password in the user name') },
      password: all.password('a password beside a wrong name'),
    },
    { username: `a/${all.name('a password in a wrong name')}`, password: 'x' },
    { username: misplaced, password: misplaced },
    { username: 'x', password: all.password('a password that is too long').repeat(20) },
    { [all.name('a password as a key')]: true },
    all.password('a password as the whole body'),
  ];
  for (const json of bodies) {
    assert.ok((await all.call('POST', 'user', { json })).response.status >= 400);
    await all.call('POST', 'user/login', { json });
    await all.call('POST', 'password-reset', { json });
    await all.call('PUT', 'user/canary-keeper', { ...asRoot, json: [json] });
    await all.call('PUT', 'admin/users/canary-keeper/role', { ...asRoot, json: { role: json } });
  }
  const headers = { 'content-type': 'application/json' };
  const cut = Buffer.from(`{"username":"x","password":"${all.password('a password in broken JSON')}`);
  await all.call('POST', 'user', { headers, body: cut });
  await all.call('POST', 'user', { headers: { 'content-type': 'text/plain' }, body: cut });
  await all.call('POST', 'user', { headers, body: Buffer.concat([cut, Buffer.alloc(2 ** 20, 'x')]) });
  await all.call('POST', 'user', { form: { username: 'x', password: all.password('a password in a form') } });
  return keeper;
}

async function logInRightAndWrong(all: Rehearsal, password: string): Promise<string> {
  await all.logIn('canary-keeper', password, 'query');
  await all.logIn('Canary-Keeper', password, 'plain');
  const token = await all.logIn('canary-keeper', password);
  const wrong = all.password('a wrong password');
  const typed = all.name('a password typed as the user name');
  for (const [username, attempt] of [
    ['canary-keeper', wrong],
    ['nobody', wrong],
    [typed, 'x'],
    [all.password('a long password typed as the user name').repeat(8), 'x'],
    ['', wrong],
    ['canary-keeper', wrong.repeat(20)],
  ] as const) {
    const query = new URLSearchParams({ username, password: attempt }).toString();
    assert.equal((await all.call('GET', `user/login?${query}`)).response.status, 400);
    await all.call('POST', 'user/login', { json: { username, password: attempt } });
    await all.call('HEAD', `user/login?${query}`);
  }
  return token;
}

async function changePasswords(all: Rehearsal, root: string, first: string, token: string): Promise<string> {
  const headers = bearer(token);
  const second = all.password('a password by PUT');
  await all.succeed('PUT', 'user/canary-keeper', { headers, json: { username: 'canary-keeper', password: second } });
  const third = all.password('a changed password');
  await all.call('POST', 'account/password', { headers, json: { oldPassword: first, newPassword: third } });
  await all.call('POST', 'account/password', { headers, json: { oldPassword: second, newPassword: [third] } });
  await all.call('POST', 'account/password', { json: { oldPassword: second, newPassword: third } });
  await all.succeed('POST', 'account/password', { headers, json: { oldPassword: second, newPassword: third } });

  const issued = await all.succeed('POST', 'admin/users/canary-keeper/reset-link', { headers: bearer(root) });
  const { token: reset } = JSON.parse(issued.response.text) as { token: string };
  all.found('a reset token', reset, issued);
  const newPassword = all.password('a password by a reset link');
  await all.call('POST', 'password-reset', { json: { token: `${reset.slice(1)}x`, newPassword } });
  await all.call('POST', 'password-reset', { json: { token: reset, newPassword: 'canary-keeper' } });
  await all.call('POST', 'password-reset', { json: { token: [reset], newPassword } });
  await all.call('GET', `password-reset?token=${reset}`);
  await all.call('GET', `../reset-password?token=${reset}`);
  await all.succeed('POST', 'password-reset', { json: { token: reset, newPassword } });
  await all.call('POST', 'password-reset', { json: { token: reset, newPassword } });
  return newPassword;
}

/** @returns the secret of one-time codes */
async function handleFactors(all: Rehearsal): Promise<string> {
  const [username, password] = ['canary-coder', all.password('the password of an account with a second factor')];
  await all.succeed('POST', 'user', { json: { username, password } });
  const headers = bearer(await all.logIn(username, password));
  const started = await all.succeed('POST', 'account/factors/totp', { headers });
  const { step, secret } = JSON.parse(started.response.text) as { step: string; secret: string };
  all.found('the token of a set-up', step, started);
  await all.call('POST', 'account/factors/totp/confirm', { headers, json: { step, code: all.name('a wrong code') } });
  const json = { step, code: codeAt(secret, Date.now()) };
  const confirmed = await all.succeed('POST', 'account/factors/totp/confirm', { headers, json });
  const { recoveryCodes } = JSON.parse(confirmed.response.text) as { recoveryCodes: string[] };
  for (const code of recoveryCodes) all.found('a recovery code', code, confirmed);
  const begun = await all.succeed('POST', 'sign-in/password', { json: { username, password } });
  const next = all.found('the token of a login', (JSON.parse(begun.response.text) as { step: string }).step, begun);
  const code = { step: next, factor: 'recovery-code', code: recoveryCodes[0] ?? '' };
  await all.call('POST', 'sign-in/code', { json: { ...code, code: all.name('a wrong recovery code') } });
  await all.call('GET', `sign-in/code?${new URLSearchParams(code).toString()}`);
  const complete = await all.succeed('POST', 'sign-in/code', { json: code });
  const { token } = JSON.parse(complete.response.text) as { token: string };
  all.found('a session token after a second factor', token, complete);
  await all.call('POST', 'account/proof', { headers, json: { password: all.password('a wrong proof') } });
  await all.call('POST', 'account/proof', { headers, json: { factor: 'recovery-code', code: recoveryCodes[1] } });
  const open = await all.succeed('POST', 'sign-in/password', { json: { username, password } });
  all.found(
    'the token of a login that is not complete',
    (JSON.parse(open.response.text) as { step: string }).step,
    open,
  );
  return secret;
}

async function handleProgram(all: Rehearsal, root: string): Promise<void> {
  const json = { name: 'Canary', redirectUris: [], scopes: ['read:pets'], isPublic: false };
  const registered = await all.succeed('POST', 'account/oauth-clients', { headers: bearer(root), json });
  const { id, secret } = JSON.parse(registered.response.text) as { id: string; secret: string };
  all.found('the secret of a program', secret, registered);
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  await all.call('POST', 'oauth/token', { form: { ...form, client_secret: all.name('a wrong secret') } });
  const issued = await all.succeed('POST', 'oauth/token', { form });
  const { access_token: token } = JSON.parse(issued.response.text) as { access_token: string };
  all.found('an access token', token, issued);
  await all.succeed('GET', 'pet/findByStatus?status=sold', { headers: bearer(token) });
  await all.call('POST', 'oauth/revoke', { form: { ...form, token: token.slice(1) } });
}

async function handleKeys(all: Rehearsal, root: string): Promise<void> {
  const headers = bearer(root);
  const byHttp = await all.succeed('POST', 'account/keys', {
    headers,
    json: { name: 'canary', scopes: ['write:pets'] },
  });
  const http = JSON.parse(byHttp.response.text) as { id: string; key: string };
  all.found('a key made over HTTP', http.key, byHttp);
  const password = all.password('a password for a key');
  await all.succeed('POST', 'account/keys', { headers, json: { name: 'canary', scopes: ['read:pets'], password } });
  const byCommand = await all.command(['key', 'create', 'root', '--scope', 'write:pets', '--json']);
  const command = JSON.parse(byCommand.ended.stdout) as { id: string; key: string };
  all.found('a key made at the command line', command.key, byCommand);
  for (const { key } of [http, command]) {
    await all.succeed('POST', 'pet', { headers: { api_key: key }, json: { name: 'Tweety' } });
    await all.succeed('POST', 'pet', { headers: bearer(key), json: { name: 'Tweety' } });
    await all.call('GET', 'account/keys', { headers: { api_key: key } });
    await all.call('DELETE', `account/keys/${key}`, { headers });
    await all.call('GET', `pet/${key}?api_key=${key}`, { headers: { api_key: key } });
  }
  await all.succeed('GET', 'account/keys', { headers });
  await all.succeed('GET', 'admin/users/root/keys', { headers });
  await all.succeed('DELETE', `account/keys/${http.id}`, { headers });
  assert.equal((await all.command(['key', 'revoke', command.key])).ended.code, 1);
  await all.command(['key', 'list', 'root', '--json']);
  assert.equal((await all.command(['key', 'revoke', '--json', '--', command.id])).ended.code, 0);
  for (const { key } of [http, command])
    assert.equal(
      (await all.call('POST', 'pet', { headers: { api_key: key }, json: { name: 'T' } })).response.status,
      401,
    );
}

async function misbehave(all: Rehearsal, root: string): Promise<void> {
  const secret = encodeURIComponent(all.password('a password in a broken address'));
  const query = `username=canary-keeper&password=${secret}`;
  const headers = bearer(root);
  for (const path of [
    `user/login?password=%E0%A4%A${secret}`,
    `user/%E0%A4%A?${query}`,
    `user/login/${secret}?${query}`,
    `${secret}?${query}`,
    `user/${secret}`,
    `pet/${secret}`,
    `pet/findByStatus?status=${secret}`,
    `pet/findByTags?tags=x&limit=${secret}&cursor=${secret}`,
    `photo/${secret}/${secret}`,
    `admin/users/${secret}`,
    `admin/users?role=${secret}&limit=${secret}`,
    `admin/audit?action=${secret}`,
    `admin/audit?since=${secret}`,
    `user/login?${query}${'x'.repeat(20_000)}`,
    `user/login?${query}${'&password=x'.repeat(20)}`,
  ]) {
    await all.call('GET', path, { headers });
    await all.call('DELETE', path);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
    await all.call(method, `user/login?${query}`);
    await all.call(method, `user/login?${query}`, {
      headers: { accept: 'image/png' },
      ...(method === 'POST' && { json: [] }),
    });
  }
  await all.call('GET', `user/login?${query}`, {
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  });
  await all.call('GET', `user/login?${query}`, { headers: { accept: 'application/problem+json' } });
  await all.call('GET', 'account', {
    headers: { authorization: `Basic ${Buffer.from(`root:${decodeURIComponent(secret)}`).toString('base64')}` },
  });
  await all.call('POST', 'pet', {
    headers: { api_key: `mgk_${root}`, accept: secret, 'content-type': secret },
    body: Buffer.from('x'),
  });
  await all.call('POST', `admin/users/${secret}/close`, { headers });

  const line = `GET /v2/user/login?${query} HTTP/1.1`;
  const credentials = `api_key: ${root}\r\nAuthorization: Bearer ${root}`;
  await all.raw('a request without Host', `${line}\r\n${credentials}\r\n\r\n`);
  await all.raw('a request with two', `${line}\r\nHost: a\r\nHost: b\r\n${credentials}\r\n\r\n`);
  await all.raw('what is no HTTP', `${decodeURIComponent(secret)} ${root}\r\n\r\n`);
  await all.raw('an unknown version', `${line}.7\r\nHost: a\r\n${credentials}\r\n\r\n`);
  await all.raw('an unknown method', `BREW /v2/user/login?${query} HTTP/1.1\r\nHost: a\r\n${credentials}\r\n\r\n`);
  await all.raw('a header without a colon', `${line}\r\nHost: a\r\n${root} ${secret}\r\n\r\n`);
  await all.raw('a header without an end', `${line}\r\nHost: a\r\n${credentials}\r\nX: ${secret.repeat(600)}\r\n\r\n`);
  await all.raw('a wrong expectation', `${line}\r\nHost: a\r\n${credentials}\r\nExpect: ${secret}\r\n\r\n`);
  await all.raw(
    'a wrong length',
    `POST /v2/user HTTP/1.1\r\nHost: a\r\n${credentials}\r\nContent-Length: ${secret}\r\n\r\n`,
  );
  await all.raw('a whole address', `GET http://a/v2/user/login?${query} HTTP/1.1\r\nHost: a\r\n${credentials}\r\n\r\n`);
}

async function lookAround(all: Rehearsal, root: string): Promise<void> {
  const headers = bearer(root);
  const exported = await all.succeed('GET', 'admin/audit', { headers: { ...headers, accept: 'application/x-ndjson' } });
  assert.match(
    exported.response.text,
    /"account\.password-reset"[^]*"key\.revoked"|"key\.revoked"[^]*"account\.password-reset"/,
  );
  for (const path of [
    'account',
    'account/sessions',
    'user/canary-keeper',
    'admin/users/canary-keeper',
    'admin/users?limit=1000',
    'admin/users/canary-keeper/sessions',
    'admin/audit?limit=1000',
  ])
    await all.succeed('GET', path, { headers });
  for (const args of [
    ['audit', 'list', '--json'],
    ['audit', 'list'],
    ['user', 'list', '--json'],
    ['user', 'list'],
    ['user', 'sessions', 'root', '--json'],
    ['key', 'list', 'root'],
  ])
    assert.equal((await all.command(args)).ended.code, 0);
}

void describe('secrets in every operation', () => {
  // In JSON, from whose fields the pretty log is made.
  void it('passwords, tokens and keys: are only in the response that issues them, and in no log, list, export or file', async (t) => {
    const dataDir = await temporaryFolder(t);
    const all = new Rehearsal(dataDir);
    const rootPassword = all.password('the password of the administrator');
    assert.equal((await all.command(['user', 'create', 'root', '--role', 'admin'], rootPassword)).ended.code, 0);
    const flags = ['--empty', '--access', 'secured', '--log-level', 'debug', '--log-format', 'json'];
    const first = await startServer(t, dataDir, flags);
    all.use(first);

    const root = await all.logIn('root', rootPassword);
    const password = await handlePasswords(all, root);
    const token = await logInRightAndWrong(all, password);
    const changed = await changePasswords(all, root, password, token);
    const totpSecret = await handleFactors(all);
    await handleProgram(all, root);
    await handleKeys(all, root);
    const byCommand = all.password('a password at the command line');
    await all.logIn('canary-keeper', changed);
    assert.equal(
      (await all.command(['user', 'password', 'canary-keeper'], `${byCommand}\n${all.password('the line below')}`))
        .ended.code,
      0,
    );
    await all.command(['user', 'create', all.name('a password as the name at the command line').repeat(2)], byCommand);
    await all.command(['user', 'password', 'canary-keeper', all.password('a password as an argument')]);
    await all.command(['user', 'list', `--password=${all.password('a password as a flag')}`]);
    const last = await all.logIn('canary-keeper', byCommand);
    await all.succeed('GET', 'user/logout', { headers: { cookie: `menagerie_session=${last}` } });
    await misbehave(all, root);
    await lookAround(all, root);
    const whileRunning = await all.leaksOnDisk('while the server runs', dataDir);
    const files = (await rawFilesOf(dataDir)).map(({ path }) => path);
    assert.ok(files.includes(join(dataDir, 'menagerie.db-wal')), files.join());
    const { stdout, stderr } = await first.end('SIGTERM');
    all.outputs.push(
      { what: 'standard output', text: stdout, carries: [] },
      { what: 'the log', text: stderr, carries: [] },
    );
    const afterStop = await all.leaksOnDisk('after it stopped', dataDir);
    // Codes are computed from it, so it is stored as it is.
    const inBackup = await all.leaksInBackup(await temporaryFolder(t), totpSecret);

    const second = await startServer(t, dataDir, flags);
    all.use(second);
    await all.logIn('root', rootPassword);
    await all.succeed('POST', 'user', {
      json: { username: 'late', password: all.password('a password before the end') },
    });
    const killed = await second.end('SIGKILL');
    all.outputs.push({ what: 'the log of the killed', text: killed.stdout + killed.stderr, carries: [] });
    const afterKill = await all.leaksOnDisk('after it was killed', dataDir);

    assert.deepEqual([...all.leaks(), ...whileRunning, ...afterStop, ...inBackup, ...afterKill], []);
    // There was much to leak, and requests were logged.
    assert.ok(all.canaries.length > 40 && all.outputs.length > 150, `${all.canaries.length} in ${all.outputs.length}`);
    assert.equal(all.statuses.get(500) ?? 0, 0);
    assert.match(stderr, /\/v2\/user\/login/);
    assert.ok(stderr.split('\n').length > 150);
  });
});

void describe('search for secrets', () => {
  void it('planted secret: is found in every encoding, and nothing else is found', async (t) => {
    const folder = await temporaryFolder(t);
    const canaries: Canary[] = [
      canaryPassword('a password'),
      canaryName('a name'),
      { what: 'a token', secret: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url') },
      { what: 'a key', secret: `mgk_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}` },
    ];
    await writeFile(join(folder, 'innocent'), `canary-password-${crypto.randomUUID()}`);
    for (const { path, bytes } of await rawFilesOf(folder)) assert.deepEqual(leaksIn(path, bytes, canaries), []);
    for (const canary of canaries) {
      for (const [form, bytes] of formsOf(canary.secret)) {
        await writeFile(join(folder, 'planted'), Buffer.concat([Buffer.alloc(5000), bytes, Buffer.from('}')]));
        const planted = (await rawFilesOf(folder)).flatMap((file) => leaksIn('planted', file.bytes, canaries));
        assert.ok(planted.includes(`planted: ${canary.what} as ${form}`), form);
      }
      for (const before of ['', 'u:', 'root:']) {
        const basic = Buffer.from(`${before}${canary.secret}!`).toString('base64');
        assert.notDeepEqual(leaksIn('a header', `Basic ${basic}`, [canary]), [], before);
      }
    }
  });
});
