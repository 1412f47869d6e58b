import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Lifetime } from './lifetime.ts';
import { temporaryFolder } from './service.ts';

/* The tables of docs/guides/switching.md, whose lines are run: those of Menagerie, and those of the other tools. */

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../docs/guides/switching.md'), 'utf8');

const run = promisify(execFile);

export type Side = 'there' | 'here';

export interface Row {
  task: string;
  there: string;
  here: string;
}

/** The script that creates the playground of the lines. */
export const PLAYGROUND_SCRIPT = /^```sh\n(.*?)^```$/ms.exec(GUIDE)?.[1] ?? '';

/** The rows of the table about a tool. */
export function rowsAbout(tool: string): readonly Row[] {
  const section = GUIDE.split(/^## /m).find((text) => text.startsWith(`${tool}\n`)) ?? assert.fail(tool);
  const rows = [...section.matchAll(/^\| ([^|]+?) +\| (.+?) +\| (.+?) +\|$/gm)].slice(1);
  return rows
    .map(([, task = '', there = '', here = '']) => ({ task, there: codeIn(there), here: codeIn(here) }))
    .filter(({ task }) => !/^-+$/.test(task));
}

/** Empty for a cell in words. */
function codeIn(cell: string): string {
  return /^`(.*)`$/.exec(cell)?.[1] ?? '';
}

/** Runs the lines of a side after the first, which starts the service, and checks what each has done. */
export async function runLines(tool: string, side: Side, base: string, variables: Readonly<Record<string, string>>) {
  await fetch(`${base}/pet/1`);
  let count = 0;
  for (const { task, [side]: line } of rowsAbout(tool).slice(1)) {
    if (line === '') continue;
    count++;
    const startedAtMs = performance.now();
    const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${line}`;
    const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, ...variables } });
    const [, output = '', status = ''] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
    const check = CHECKS[task] ?? assert.fail(`no check of: ${task}`);
    const seconds = (performance.now() - startedAtMs) / 1000;
    await check({ base, output, status: Number(status), seconds }).catch((error: unknown) => {
      throw new Error(`${tool}, ${side}, ${task}: ${line}\n${stdout}`, { cause: error });
    });
  }
  return count;
}

interface Ran {
  base: string;
  output: string;
  status: number;
  /** How long the line took. */
  seconds: number;
}

const isOk = ({ status }: Ran) => assert.ok(status >= 200 && status < 300, String(status));
const pet = async ({ base }: Ran) => (await fetch(`${base}/pet/1`)).status;

const CHECKS: Readonly<Record<string, (ran: Ran) => Promise<void>>> = {
  async 'A pet'(ran) {
    isOk(ran);
    assert.equal(await pet(ran), 200);
  },
  async 'No pet'({ status }) {
    assert.equal(status, 404);
  },
  async 'An invalid request'({ status }) {
    assert.ok(status === 400 || status === 422, String(status));
  },
  async 'The requests so far'(ran) {
    isOk(ran);
    assert.match(ran.output, /\/pet\/1/);
  },
  async 'Forget the requests'(ran) {
    isOk(ran);
  },
  async 'A failure'(ran) {
    assert.equal(await pet(ran), 503);
  },
  /** Either the line asks for it, or the next request has it. */
  async 'A delay'(ran) {
    const startedAtMs = performance.now();
    await pet(ran);
    assert.ok(ran.seconds >= 0.29 || performance.now() - startedAtMs >= 290);
  },
  async 'A broken connection'(ran) {
    await assert.rejects(pet(ran));
  },
  async 'No failures any more'(ran) {
    isOk(ran);
    assert.ok([200, 404].includes(await pet(ran)));
  },
  async 'Begin again'(ran) {
    isOk(ran);
  },
  async 'Change a pet'(ran) {
    isOk(ran);
    assert.match(await (await fetch(`${ran.base}/pet/1`)).text(), /Kiwi/);
  },
  async Search(ran) {
    isOk(ran);
    assert.match(ran.output, /Kiwi/);
  },
  async 'A page'(ran) {
    isOk(ran);
    assert.match(ran.output, /Kiwi/);
  },
  async 'Delete a pet'(ran) {
    isOk(ran);
    assert.equal(await pet(ran), 404);
  },
  async 'All the data'(ran) {
    isOk(ran);
  },
};

/**
 * Runs the lines of a side about MSW in a process of its own, and checks what each has done.
 *
 * @param imports what the lines need
 * @param base the base URL, as an expression
 */
export async function runScript(t: Lifetime, side: Side, imports: string, base: string): Promise<void> {
  const lines = rowsAbout('MSW').map(({ task, [side]: line }) => `${line}\nawait check(${JSON.stringify(task)});`);
  const file = join(await temporaryFolder(t), 'lines.mjs');
  await writeFile(
    file,
    `import assert from 'node:assert/strict';\n${imports}\n${lines.join('\n')}\n${scriptChecks(base)}`,
  );
  const env = { ...process.env };
  delete env['NODE_TEST_CONTEXT'];
  await run(process.execPath, [file], { env });
}

function scriptChecks(base: string): string {
  return `
async function check(task) {
  const pet = () => fetch(${base} + '/pet/1');
  const startedAtMs = performance.now();
  if (task === 'A pet') assert.match(await (await pet()).text(), /Luna/);
  if (task === 'A failure') assert.equal((await pet()).status, 503);
  if (task === 'A broken connection') await assert.rejects(pet());
  if (task === 'Begin again') assert.notEqual(await pet().then(({ status }) => status, () => 0), 503);
  if (task === 'A delay') {
    await pet().catch(() => {});
    assert.ok(performance.now() - startedAtMs >= 290);
  }
}`;
}
