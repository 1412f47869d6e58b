import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { readConfig } from '../../src/server/configuration/config.ts';
import { startService } from '../../src/server/service.ts';
import { skipWithoutPebble, startAuthority } from '../support/certificate-authority.ts';
import { clientOf } from '../support/client.ts';
import { EXECUTABLE } from '../support/menagerie-process.ts';
import { freePort } from '../support/postgres-folder.ts';
import { bearer, logIn, PASSWORDS } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * The commands of docs/guides/on-the-internet.md, in their order, in a folder instead of the root of a machine. Programs
 * that change the machine are replaced by scripts that note their call; the service of systemd is started here.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = join(ROOT, 'docs/guides/on-the-internet.md');

/** The places of the guide. */
const PLACES = /(?<![\w.])\/(?:var\/lib|var\/backups|etc)\//g;

/** Programs that would change the machine, or need the network. */
const NOTED = ['apt-get', 'useradd', 'systemctl'];

const run = promisify(execFile);

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0;

const numbersOf = (text: string) => /(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number) ?? assert.fail(text);

async function blocksOf(path: string): Promise<readonly string[]> {
  const guide = await readFile(path, 'utf8');
  return [...guide.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

void describe('guide to a site on the internet', { skip: skipWithoutPebble }, async () => {
  const blocks = await blocksOf(GUIDE);
  const next = () => blocks[ran++] ?? assert.fail('a command is missing');
  let ran = 0;

  const folder = await temporaryFolder({ after });
  const home = join(folder, 'home');
  const programs = join(folder, 'programs');
  const modules = join(folder, 'modules');
  const environment = { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH']}`, CURL_HOME: home };
  const inFolder = (text: string) => text.replaceAll(PLACES, (place) => join(folder, place));

  /** Runs commands as in the guide; returns their output and the calls of noted programs. */
  async function perform(commands: string, input = ''): Promise<string> {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', inFolder(commands)], { cwd: folder, env: environment });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
    // Most commands do not read it.
    child.stdin.on('error', () => {}).end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    const text = Buffer.concat(output).toString();
    assert.equal(code, 0, `${commands}\n${text}`);
    return text;
  }

  async function addProgram(name: string, script: string): Promise<void> {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(programs, name), 0o755);
  }

  for (const each of [home, programs, modules, join(folder, 'etc/default'), join(folder, 'etc/prometheus')])
    await mkdir(each, { recursive: true });
  await mkdir(join(folder, 'var/lib'), { recursive: true });
  await symlink(ROOT, join(modules, 'menagerie'));
  for (const name of NOTED) await addProgram(name, `echo "${name} $*"`);
  await addProgram('npm', `[ "$1" = root ] && echo '${modules}' || echo "npm $*"`);
  await addProgram('runuser', '[ "$1 $2 $3" = "-u menagerie --" ] && shift 3 && exec "$@"');
  await addProgram('menagerie', `exec '${process.execPath}' '${EXECUTABLE}' "$@"`);
  // Only root may give files to another user, which does not exist here.
  await addProgram('install', `exec /usr/bin/install $(echo "$*" | sed 's/-o menagerie -g menagerie//')`);

  void it('programs: Node.js is new enough, and Debian has the others', async () => {
    assert.match(await perform(next()), /^apt-get update\napt-get install --yes curl xz-utils prometheus$/m);
    const node = next();
    const [, version = '', same] = /dist\/v([\d.]+)\/node-v([\d.]+)-linux-x64/.exec(node) ?? [];
    assert.equal(version, same);
    const { engines, version: own } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
      version: string;
    };
    const [[major = 0, minor = 0], [least = 0, leastMinor = 0]] = [numbersOf(version), numbersOf(engines.node)];
    assert.ok(major > least || (major === least && minor >= leastMinor), `${version} for ${engines.node}`);
    assert.match(await perform(next()), new RegExp(`menagerie-${own}\\.tgz`));
  });

  void it('unit: is complete, with the ports and the folder of the backups', async () => {
    assert.match(await perform(next()), /^useradd --system /);
    await perform(next());
    const unit = join(folder, 'etc/systemd/system/menagerie.service');
    const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };
    for (const name of ['menagerie.service', 'menagerie-https.conf', 'prometheus/menagerie.rules.yml'])
      assert.ok(files.includes(`deploy/${name}`), name);
    if (!isInstalled('systemd-analyze')) return;
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unit]);
    assert.equal(stdout + stderr, '');
  });

  void it('site: has an administrator, a certificate, e-mail, metrics and a backup that can be restored', async (t) => {
    const authority = await startAuthority(t);
    const smtp = await startSmtpReceiver(t);
    const [httpsPort, metricsPort] = [await freePort(), await freePort()];
    const settings = next()
      .replace(/smtps:\/\/[^"]+/, smtp.url)
      .replace('127.0.0.1:9464', `127.0.0.1:${metricsPort}`);
    await perform(settings);
    const password = PASSWORDS['root'] ?? assert.fail();
    assert.match(await perform(next(), `${password}\n`), /root/);
    assert.equal(await perform(next()), 'systemctl daemon-reload\nsystemctl enable --now menagerie\n');

    const listen = ['--https-listen', `127.0.0.1:${httpsPort}`, '--http-listen', `127.0.0.1:${authority.httpPort}`];
    const flags = ['--port', '0', '--acme-directory', authority.directory, ...listen];
    const result = readConfig(flags, { MENAGERIE_DATA_DIR: join(folder, 'var/lib/menagerie') });
    assert.ok('config' in result, JSON.stringify(result));
    const service = await startService(result.config, pino({ level: 'silent' }));
    t.after(() => service.stop());

    const root = join(home, 'root.pem');
    await writeFile(root, await authority.readRoot());
    const curlSettings = [`connect-to = "pets.example.org:443:127.0.0.1:${httpsPort}"`, `cacert = "${root}"`];
    await writeFile(join(home, '.curlrc'), `${curlSettings.join('\n')}\n`);
    assert.match(await perform(next()), /"message":"ready"/);

    const call = clientOf(`${service.origin}/v2`);
    const headers = bearer(await logIn(call, 'root'));
    const tested = await call('POST', 'admin/mail/test', { headers, json: { to: 'ada@example.org' } });
    assert.equal(tested.status, 200, tested.text);
    const [message] = await smtp.waitFor(1);
    assert.deepEqual(message?.recipients, ['ada@example.org']);

    assert.match(await perform(next()), /^systemctl restart prometheus$/m);
    const { stdout: metrics } = await run('curl', ['-q', '-fsS', `http://127.0.0.1:${metricsPort}/metrics`]);
    assert.match(metrics, /^menagerie_healthy 1/m);
    if (isInstalled('promtool'))
      await run('promtool', ['check', 'config', join(folder, 'etc/prometheus/prometheus.yml')]);

    assert.match(await perform(next()), /restored/);
    assert.equal(ran, blocks.length, 'each command of the guide is run');
  });
});
