import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { updateConfigFile } from '../../src/server/configuration/config-file.ts';
import { configOf, problemsOf } from '../support/read-config.ts';
import { temporaryFolder } from '../support/service.ts';

const PUBLIC = ['--config=', '--public-url', 'https://pets.example.org'];

const FULL = `
label = "Shelter account"
issuer = "https://login.example.org/realms/zoo"
client-id = "menagerie"
client-secret = "hunter2"
scopes = ["openid", "groups"]
sign-up = true
second-factor = ["mfa", "otp"]
role-claim = "realm_access.roles"
roles = { keepers = "editor", "the board" = "admin" }
`;

const MINIMAL = 'zoo = { issuer = "https://login.example.org", client-id = "m" }';

function problemsWith(text: string): readonly string[] {
  return problemsOf([...PUBLIC, '--providers', text]).map((problem) =>
    problem.replace('--providers (MENAGERIE_PROVIDERS): ', ''),
  );
}

void describe('providers', () => {
  void it('a table has every key, and defaults for most', () => {
    const { providers } = configOf([
      ...PUBLIC,
      '--providers',
      `[zoo]${FULL}\n[club]\nissuer = "https://a.example"\nclient-id = "b"`,
    ]);
    assert.deepEqual(providers, [
      {
        name: 'zoo',
        label: 'Shelter account',
        issuer: 'https://login.example.org/realms/zoo',
        clientId: 'menagerie',
        clientSecret: 'hunter2',
        scopes: 'openid groups',
        signUp: true,
        secondFactor: ['mfa', 'otp'],
        roles: { claim: 'realm_access.roles', values: { keepers: 'editor', 'the board': 'admin' } },
      },
      {
        name: 'club',
        label: 'club',
        issuer: 'https://a.example',
        clientId: 'b',
        clientSecret: undefined,
        scopes: 'openid profile email',
        signUp: false,
        secondFactor: false,
        roles: undefined,
      },
    ]);
  });

  void it('the config file has a table for each; the settings in effect show names only', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'menagerie.toml');
    await writeFile(path, `# Ours\npublic-url = "https://pets.example.org"\n\n[providers.zoo]${FULL}`);
    const { providers, settings } = configOf(['--data-dir', folder]);
    assert.equal(providers[0]?.clientSecret, 'hunter2');
    const setting = settings.find(({ name }) => name === 'providers');
    assert.deepEqual(setting, { name: 'providers', value: 'zoo', source: 'config-file', origin: `${path}, line 4` });
    assert.ok(!JSON.stringify(settings).includes('hunter2'));

    await updateConfigFile(path, { access: 'secured' });
    assert.match(await readFile(path, 'utf8'), /^# Ours\n.*\n\naccess = "secured"\n\[providers\.zoo\]\n/);
    assert.equal(configOf(['--data-dir', folder]).providers[0]?.roles?.claim, 'realm_access.roles');
  });

  void it('the secret is in a file or a credential', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'menagerie.providers.zoo'), 'from a credential\n');
    await writeFile(join(folder, 'secret'), 'from a file\n');
    const args = [...PUBLIC, '--providers', MINIMAL];
    const credentials = { CREDENTIALS_DIRECTORY: folder };
    assert.equal(configOf(args, credentials).providers[0]?.clientSecret, 'from a credential');
    const file = MINIMAL.replace('"m"', `"m", client-secret-file = "${join(folder, 'secret')}"`);
    assert.equal(configOf([...PUBLIC, '--providers', file], credentials).providers[0]?.clientSecret, 'from a file');
    assert.deepEqual(problemsWith(file.replace('secret"', 'none"')), [
      'zoo.client-secret-file cannot be read: no such file or directory.',
    ]);
  });

  const faults: [text: string, problem: RegExp][] = [
    ['zoo = "hunter2"', /^zoo must be a table, such as \[providers\.zoo\]\.$/],
    ['"hunter2 " = {}', /^The name of a provider must have 1 to 32 characters of a-z, 0-9 and hyphens\.$/],
    ['[zoo', /^Line 1 is not valid TOML: /],
    [MINIMAL.replace('client-id', 'clientid'), /^zoo\.clientid is unknown\. Did you mean client-id\?$/],
    ['zoo = { client-id = "m" }', /^zoo\.issuer is missing\.$/],
    ['zoo = { issuer = "https://a.example" }', /^zoo\.client-id is missing\.$/],
    [MINIMAL.replace('https:', 'http:'), /^zoo\.issuer must be an https URL /],
    [MINIMAL.replace('.org', '.org?hunter2'), /^zoo\.issuer must be an https URL /],
    [MINIMAL.replace('.org', '.org/.well-known/openid-configuration'), /^zoo\.issuer must be an https URL /],
    [MINIMAL.replace('"m"', '7'), /^zoo\.client-id must be a text of 1 to 255 characters\.$/],
    [MINIMAL.replace('"m"', '"m", sign-up = "hunter2"'), /^zoo\.sign-up must be true or false\.$/],
    [MINIMAL.replace('"m"', '"m", scopes = "email"'), /^zoo\.scopes must be a list of scopes with openid\.$/],
    [MINIMAL.replace('"m"', '"m", second-factor = "hunter2"'), /^zoo\.second-factor must be true, false, or a list/],
    [
      MINIMAL.replace('"m"', '"m", role-claim = "groups"'),
      /^zoo\.role-claim and the table roles require each other\.$/,
    ],
    [
      MINIMAL.replace('"m"', '"m", role-claim = "groups", roles = { a = "hunter2" }'),
      /^zoo\.roles must have viewer, editor, admin as values, and values of the claim as keys\.$/,
    ],
    [`${MINIMAL}\n${MINIMAL.replace('zoo', 'other')}`, /^Two providers must not have the same issuer\.$/],
  ];
  for (const [text, expected] of faults)
    void it(`${JSON.stringify(text)}: is refused with one sentence`, () => {
      const problems = problemsWith(text).filter(
        (problem) => !problem.includes('is missing') || text.includes('zoo = { '),
      );
      const [problem = ''] = problems;
      assert.match(problem, expected);
      assert.doesNotMatch(problems.join('\n'), /hunter/);
    });

  void it('the public URL is required, with https or on this machine', () => {
    const args = ['--config=', '--providers', MINIMAL];
    assert.match(problemsOf(args).join('\n'), /^--providers \(MENAGERIE_PROVIDERS\) requires --public-url/);
    assert.match(
      problemsOf([...args, '--public-url', 'http://pets.example.org']).join('\n'),
      /requires https in --public-url/,
    );
    assert.equal(configOf([...args, '--public-url', 'http://localhost:8080']).providers.length, 1);
  });

  void it('--no-password-login: lists roles', () => {
    assert.deepEqual(configOf(['--no-password-login', 'admin, editor']).withoutPassword, ['editor', 'admin']);
    assert.match(
      problemsOf(['--no-password-login', 'admin,hunter2']).join('\n'),
      /^--no-password-login \(MENAGERIE_NO_PASSWORD_LOGIN\) must be a list of viewer, editor, admin, separated by commas\.$/,
    );
  });
});
