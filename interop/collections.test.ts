import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { createBrunoCollection } from '../src/api/documents/collections/bruno.ts';
import { EXAMPLES } from '../src/api/documents/examples.ts';
import { temporaryFolder } from '../test/support/service.ts';
import { clientOf } from '../test/support/client.ts';
import { openZip } from '../test/support/zip-files.ts';
import { startTestService } from '../test/support/service.ts';
import type { Lifetime } from '../test/support/lifetime.ts';
import { PICTURE } from './service.ts';

/* The collections and workflows, run by the tools that they are for. */

const MODULES = join(import.meta.dirname, 'node_modules');
const TOOLS = {
  newman: join(MODULES, 'newman/bin/newman.js'),
  bruno: join(MODULES, '@usebruno/cli/bin/bru.js'),
  redocly: join(MODULES, '@redocly/cli/bin/cli.js'),
};

void describe('collections', () => {
  void it('Postman: Newman runs every example', async (t) => {
    const { base, folder } = await startWithFolder(t, 'sandbox');
    await save(folder, 'collection.json', await fetched(base, 'postman.json'));
    const args = ['run', 'collection.json', '--working-dir', folder, '--reporters', 'json'];
    await run(TOOLS.newman, [...args, '--reporter-json-export', 'report.json'], folder);
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as NewmanReport;
    assert.deepEqual(
      report.run.failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      [],
    );
    assert.equal(report.run.stats.requests.total, EXAMPLES.size);
    assert.equal(report.run.stats.assertions.total, EXAMPLES.size);
  });

  void it('Bruno: its command line runs every example', async (t) => {
    const { base, folder } = await startWithFolder(t, 'sandbox');
    const files = await openZip(await fetched(base, 'bruno.zip'));
    assert.deepEqual(Object.keys(files), Object.keys(createBrunoCollection({ origin: 'http://localhost' })));
    for (const [name, bytes] of Object.entries(files)) await save(folder, name, bytes);
    const { stdout } = await run(TOOLS.bruno, ['run', '-r', '--reporter-json', 'report.json'], folder);
    const [report] = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as BrunoReport[];
    assert.deepEqual(
      report?.results.filter(({ status }) => status !== 'pass').map(({ name, error }) => `${name}: ${String(error)}`),
      [],
      stdout,
    );
    assert.equal(report?.summary.passedRequests, EXAMPLES.size);
    assert.equal(report.summary.passedAssertions, EXAMPLES.size);
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

interface NewmanReport {
  run: {
    stats: Readonly<Record<'requests' | 'assertions', { total: number }>>;
    failures: readonly { source: { name: string }; error: { message: string } }[];
  };
}

interface BrunoReport {
  summary: { passedRequests: number; passedAssertions: number };
  results: readonly { name: string; status: string; error: unknown }[];
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
