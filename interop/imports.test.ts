import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { DESCRIPTIONS } from '../src/api/documents/descriptions.ts';
import { temporaryFolder } from '../test/support/service.ts';
import { clientOf } from '../test/support/client.ts';
import { startTestService } from '../test/support/service.ts';
import type { Lifetime } from '../test/support/lifetime.ts';
import { PICTURE } from './service.ts';

/* The document in the programs that import it, and the workflows in their runner. */

const MODULES = join(import.meta.dirname, 'node_modules');
const COUNT = Object.keys(DESCRIPTIONS).length;
const TOOLS = {
  postman: join(MODULES, 'openapi-to-postmanv2/bin/openapi2postmanv2.js'),
  newman: join(MODULES, 'newman/bin/newman.js'),
  bruno: join(MODULES, '@usebruno/cli/bin/bru.js'),
  redocly: join(MODULES, '@redocly/cli/bin/cli.js'),
};

void describe('imports and workflows', () => {
  void it('Postman: has every operation after its import, and Newman sends an example', async (t) => {
    const { base, folder } = await startWithFolder(t, 'open');
    await save(folder, 'openapi.json', await fetched(base, 'openapi.json'));
    const options = 'parametersResolution=Example,enableOptionalParameters=false';
    await run(TOOLS.postman, ['-s', 'openapi.json', '-o', 'collection.json', '-O', options], folder);
    const collection = JSON.parse(await readFile(join(folder, 'collection.json'), 'utf8')) as PostmanItem;
    assert.equal(requestsIn(collection).length, COUNT);
    const only = ['--folder', DESCRIPTIONS.addPet.summary];
    const args = ['run', 'collection.json', ...only, '--reporters', 'json', '--reporter-json-export', 'report.json'];
    await run(TOOLS.newman, args, folder);
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as NewmanReport;
    assert.deepEqual(
      report.run.executions.map(({ response }) => response.code),
      [200],
    );
  });

  void it('Bruno: has every operation after its import, and sends an example', async (t) => {
    const { base, folder } = await startWithFolder(t, 'open');
    await save(folder, 'openapi.json', await fetched(base, 'openapi.json'));
    const target = ['--output', folder, '--collection-name', 'imported', '--collection-format', 'bru'];
    await run(TOOLS.bruno, ['import', 'openapi', '--source', 'openapi.json', ...target], folder);
    const imported = join(folder, 'imported');
    const files = globSync('*/*.bru', { cwd: imported, exclude: ['environments/*', '*/folder.bru'] });
    assert.equal(files.length, COUNT);
    const example = join('pet', `${DESCRIPTIONS.addPet.summary}.bru`);
    const report = ['--reporter-json', join(folder, 'report.json')];
    await run(TOOLS.bruno, ['run', example, '--env', 'Environment 1', ...report], imported);
    const [{ results } = assert.fail()] = JSON.parse(
      await readFile(join(folder, 'report.json'), 'utf8'),
    ) as BrunoReport[];
    assert.deepEqual(
      results.map(({ response }) => response.status),
      [200],
    );
  });

  void it('Arazzo: Redocly finds no problem, and runs every workflow', async (t) => {
    const { base, folder } = await startWithFolder(t, 'open');
    for (const name of ['arazzo.json', 'openapi.json']) await save(folder, name, await fetched(base, name));
    const lint = await run(TOOLS.redocly, ['lint', '--extends', 'recommended', 'arazzo.json'], folder);
    assert.doesNotMatch(lint.stderr, /\[\d+\] arazzo\.json/);
    await run(TOOLS.redocly, ['respect', 'arazzo.json', '--json-output', 'report.json'], folder);
    const { files } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as RespectReport;
    const workflows = Object.values(files)[0]?.executedWorkflows ?? [];
    assert.deepEqual(
      workflows.map(({ workflowId, status }) => `${workflowId}: ${status}`),
      ['adopt-a-pet: success', 'upload-a-photo: success', 'undo-a-deletion: success'],
    );
  });
});

/** A folder or a request of a collection. */
interface PostmanItem {
  item?: readonly PostmanItem[];
  request?: object;
}

function requestsIn(item: PostmanItem): readonly PostmanItem[] {
  return item.request === undefined ? (item.item ?? []).flatMap(requestsIn) : [item];
}

interface NewmanReport {
  run: { executions: readonly { response: { code: number } }[] };
}

interface BrunoReport {
  results: readonly { response: { status: number } }[];
}

interface RespectReport {
  files: Readonly<Record<string, { executedWorkflows: readonly { workflowId: string; status: string }[] }>>;
}

async function startWithFolder(t: Lifetime, access: string) {
  const { base } = await startTestService(t, { flags: ['--access', access] });
  const folder = await temporaryFolder(t);
  await save(folder, 'photo.gif', PICTURE);
  return { base, folder };
}

async function fetched(base: string, path: string): Promise<Buffer> {
  const { status, bytes } = await clientOf(base)('GET', path);
  assert.equal(status, 200);
  return bytes;
}

async function save(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), bytes);
}

/** The output of a tool that succeeds. */
function run(tool: string, args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tool, ...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
}
