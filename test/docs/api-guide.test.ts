import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';

/*
 * docs/api.md, run from its beginning to its end in one shell, as a reader would.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const guide = readFileSync(resolve(ROOT, 'docs/api.md'), 'utf8');

interface Example {
  line: number;
  script: string;
  /** What the guide says is answered; undefined where it says nothing. */
  told: string | undefined;
}

const MISSING = ['bash', 'curl', 'jq'].filter((program) => !isThere(program));

void test('every operation has its line in the guide', () => {
  const told = new Set(guide.match(/(?<=`)\w+(?=`)/g));
  assert.deepEqual(
    Object.keys(ENDPOINTS).filter((operation) => !told.has(operation)),
    [],
  );
});

void test(
  'every line of the guide works, and is answered as the guide says',
  { skip: MISSING.length > 0 && `${MISSING.join(', ')} is not on this machine` },
  async (t) => {
    const dataDir = await newSecuredFolder({ staff: { root: 'admin' } });
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const service = await startSecuredService(t, {
      dataDir,
      flags: ['--empty', '--webhook-private-addresses'],
      nodes: 1,
    });
    const called = new Set<OperationId>();
    const note = (message: unknown) => {
      const { method = '', url = '' } = (message as { request: IncomingMessage }).request;
      const operation = operationOf(method, new URL(url, 'http://localhost').pathname);
      if (operation !== undefined) called.add(operation);
    };
    subscribe('http.server.request.start', note);
    t.after(() => unsubscribe('http.server.request.start', note));

    const examples = readExamples(guide);
    assert.ok(examples.length > 20, String(examples.length));
    const answers = await runInOneShell(
      examples.map(({ script }) => script),
      { BASE: service.base, PASSWORD: PASSWORDS['root'] ?? '' },
    );
    for (const [index, { line, told }] of examples.entries()) {
      const { status, text } = answers[index] ?? { status: undefined, text: '' };
      assert.equal(status, 0, `docs/api.md, line ${line}: ${text}`);
      if (told !== undefined) assertAnswersAlike(text, told, `docs/api.md, line ${line}`);
    }
    assert.deepEqual(
      Object.keys(ENDPOINTS).filter((operation) => !called.has(operation as OperationId)),
      [],
      'the guide calls every operation',
    );
  },
);

/** The scripts of the guide, each with the answer that follows it. */
function readExamples(markdown: string): readonly Example[] {
  const examples: Example[] = [];
  for (const { 1: language = '', 2: content = '', index } of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const line = markdown.slice(0, index).split('\n').length;
    if (language === 'sh') examples.push({ line, script: content, told: undefined });
    const last = examples.at(-1);
    if (language === 'json' && last !== undefined) last.told = content;
  }
  return examples;
}

/** Runs the scripts one after the other in one bash, up to the first that fails. */
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
  // Curl must not take the rest of the script for its input.
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

/** The last answer that was printed is the one that the guide tells: the same fields in the same order, and but for what `isGiven` names, the same values. */
function assertAnswersAlike(text: string, told: string, context: string): void {
  const answers = text.trim().split(/(?<=[\]}"])\s*(?=[{["])/);
  const answer = tryParse(text.trim()) ?? tryParse(answers.at(-1) ?? '');
  const expected = JSON.parse(told) as unknown;
  assert.deepEqual(comparable(answer, expected), comparable(expected, expected), `${context}: ${text}`);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Numbers count versions and accounts, times pass, and what ends in dots in the guide is an id or a secret: of these, the kind has to be right. */
function isGiven(told: unknown): boolean {
  return (
    typeof told === 'number' ||
    (typeof told === 'string' && (told.endsWith('...') || /^\d{4}-\d\d-/.test(told) || /^http:|^curl/.test(told)))
  );
}

function comparable(value: unknown, told: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(told)) return value.map((item, index) => comparable(item, told[index]));
  if (typeof value === 'object' && value !== null && typeof told === 'object' && told !== null)
    return Object.entries(value).map(([name, field]) => [
      name,
      comparable(field, (told as Record<string, unknown>)[name]),
    ]);
  return isGiven(told) ? typeof value : value;
}

function operationOf(method: string, path: string): OperationId | undefined {
  const found = Object.entries(ENDPOINTS).find(
    ([, endpoint]) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found?.[0] as OperationId | undefined;
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
