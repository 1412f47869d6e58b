import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';

/* Runs docs/api.md from beginning to end in one shell, as a reader would. */

const ROOT = resolve(import.meta.dirname, '../..');
const guide = readFileSync(resolve(ROOT, 'docs/api.md'), 'utf8');

interface Example {
  line: number;
  script: string;
  /** The response in the guide, if it gives one. */
  documented: string | undefined;
}

/** They start the service again. `test/processes/restore-from-page.test.ts` calls them. */
const NOT_CALLED: ReadonlySet<string> = new Set<OperationId>(['restoreBackup', 'undoRestore']);

const MISSING = ['bash', 'curl', 'jq', 'openssl'].filter((program) => !isInstalled(program));

void test('API guide: lists every operation', () => {
  const documented = new Set(guide.match(/(?<=`)\w+(?=`)/g));
  assert.deepEqual(
    Object.keys(ENDPOINTS).filter((operation) => !documented.has(operation)),
    [],
  );
});

void test(
  'API guide: every example works, with the documented response',
  { skip: MISSING.length > 0 && `${MISSING.join(', ')} is not installed` },
  async (t) => {
    const dataDir = await newSecuredFolder({ staff: { root: 'admin' } });
    t.after(() => removeFolder(dataDir));
    const service = await startSecuredService(t, {
      dataDir,
      flags: ['--empty', '--webhook-private-addresses', '--backup-to', await temporaryFolder(t)],
      nodes: 1,
    });
    const called = new Set<OperationId>();
    const recordRequest = (message: unknown) => {
      const { method = '', url = '' } = (message as { request: IncomingMessage }).request;
      const operation = operationOf(method, new URL(url, 'http://localhost').pathname);
      if (operation !== undefined) called.add(operation);
    };
    subscribe('http.server.request.start', recordRequest);
    t.after(() => unsubscribe('http.server.request.start', recordRequest));

    const examples = readExamples(guide);
    assert.ok(examples.length > 20, String(examples.length));
    const responses = await runInOneShell(
      examples.map(({ script }) => script),
      { BASE: service.base, PASSWORD: PASSWORDS['root'] ?? '' },
    );
    for (const [index, { line, documented }] of examples.entries()) {
      const { status, text } = responses[index] ?? { status: undefined, text: '' };
      assert.equal(status, 0, `docs/api.md, line ${line}: ${text}`);
      if (documented !== undefined) assertResponsesAlike(text, documented, `docs/api.md, line ${line}`);
    }
    assert.deepEqual(
      Object.keys(ENDPOINTS).filter((operation) => !called.has(operation as OperationId) && !NOT_CALLED.has(operation)),
      [],
      'the guide must call every operation',
    );
  },
);

/** The scripts of the guide, each with the response that follows it. */
function readExamples(markdown: string): readonly Example[] {
  const examples: Example[] = [];
  for (const { 1: language = '', 2: content = '', index } of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const line = markdown.slice(0, index).split('\n').length;
    if (language === 'sh') examples.push({ line, script: content, documented: undefined });
    const last = examples.at(-1);
    if (language === 'json' && last !== undefined) last.documented = content;
  }
  return examples;
}

/** Runs the scripts one by one in one bash, up to the first failure. */
async function runInOneShell(scripts: readonly string[], variables: Readonly<Record<string, string>>) {
  const mark = '=== end of an example';
  const shell = spawn('bash', ['-s'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((end) => void shell.on('close', () => end()));
  // curl must not read the rest of the script as its input.
  const guarded = scripts.map((script) => `set -e\n{\n${script}\n} </dev/null\nset +e\nprintf '\\n${mark} 0\\n'\n`);
  shell.stdin.end(`trap 'printf "\\n${mark} $?\\n"' EXIT\nset -o pipefail\n${guarded.join('')}trap - EXIT\n`);
  await ended;
  return output
    .split(new RegExp(`\\n${mark} (?=\\d+\\n)`))
    .map((part, index, parts) => ({
      status: Number(/^\d+/.exec(parts[index + 1] ?? '')?.[0] ?? Number.NaN),
      text: part.replace(/^\d+\n/, ''),
    }))
    .slice(0, scripts.length);
}

/** The last printed response must have the fields of the guide in order, and the same values except placeholders. */
function assertResponsesAlike(text: string, documented: string, context: string): void {
  const responses = text.trim().split(/(?<=[\]}"])\s*(?=[{["])/);
  const response = tryParse(text.trim()) ?? tryParse(responses.at(-1) ?? '');
  const expected = JSON.parse(documented) as unknown;
  assert.deepEqual(comparable(response, expected), comparable(expected, expected), `${context}: ${text}`);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Placeholders are numbers, times, and texts that end in dots in the guide, such as ids and secrets: only their type
 * and the prefix of a secret must agree.
 */
function isPlaceholder(documented: unknown): boolean {
  return (
    typeof documented === 'number' ||
    (typeof documented === 'string' &&
      (documented.endsWith('...') || /^\d{4}-\d\d-/.test(documented) || /^http:|^curl/.test(documented)))
  );
}

function comparable(value: unknown, documented: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(documented))
    return value.map((item, index) => comparable(item, documented[index]));
  if (typeof value === 'object' && value !== null && typeof documented === 'object' && documented !== null)
    return Object.entries(value).map(([name, field]) => [
      name,
      comparable(field, (documented as Record<string, unknown>)[name]),
    ]);
  if (!isPlaceholder(documented)) return value;
  const prefix = /^[a-z]+_/.exec(String(documented))?.[0] ?? '';
  return String(value).startsWith(prefix) ? `${typeof value} ${prefix}` : value;
}

function operationOf(method: string, path: string): OperationId | undefined {
  const found = Object.entries(ENDPOINTS).find(
    ([, endpoint]) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found?.[0] as OperationId | undefined;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
