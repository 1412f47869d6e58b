import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { freePort } from '../test/support/postgres-folder.ts';
import { temporaryFolder } from '../test/support/service.ts';
import type { Lifetime } from '../test/support/lifetime.ts';
import { rowsAbout, runLines, runScript } from '../test/support/switching-guide.ts';
import { until } from '../test/support/until.ts';

/* The lines of other tools in the guide to switching. test/docs/switching.test.ts runs those of Menagerie. */

const ROOT = resolve(import.meta.dirname, '..');

const withoutJava = spawnSync('java', ['-version']).status !== 0 && 'Java is not installed';

const TOOLS: Readonly<Record<string, string | false>> = {
  Prism: false,
  WireMock: withoutJava,
  Mockoon: false,
  'json-server': false,
};

void describe('guide to switching: lines of other tools', () => {
  for (const [tool, skip] of Object.entries(TOOLS))
    void it(`${tool}: they do what they say`, { skip }, async (t) => {
      const base = await startTool(t, rowsAbout(tool)[0]?.there ?? '');
      assert.ok((await runLines(tool, 'there', base, { MOCK: base })) >= 3);
    });

  void it('MSW: they do what they say', async (t) => {
    const { resolve: find } = createRequire(join(import.meta.dirname, 'package.json'));
    const imports = `import { delay, http, HttpResponse } from '${pathToFileURL(find('msw')).href}';
      import { setupServer } from '${pathToFileURL(find('msw/node')).href}';`;
    // No service has this name.
    await runScript(t, 'there', imports, "'http://petstore.invalid'");
  });
});

/** Runs the line that starts a tool, with a free port. @returns its address */
async function startTool(t: Lifetime, line: string): Promise<string> {
  const [, program = '', args = ''] = /^npx (\S+) (.*)$/.exec(line) ?? assert.fail(line);
  const port = await freePort();
  const folder = await temporaryFolder(t);
  await copyFile(join(ROOT, 'docs/swagger.json'), join(folder, 'swagger.json'));
  await writeFile(join(folder, 'db.json'), '{"pet":[]}');
  const words = args.replace(/(?<=--port )\d+/, String(port)).split(' ');
  const executable = join(import.meta.dirname, 'node_modules/.bin', program);
  const child = spawn(executable, words, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  t.after(async () => {
    // With what it has started, such as Java.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const base = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(base).then(
      () => true,
      () => false,
    );
  await until(`${line} has started`, isReady, 120_000).catch(() => assert.fail(output));
  return base;
}
