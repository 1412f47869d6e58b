import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { startMenagerie } from '../support/menagerie-process.ts';
import { PLAYGROUND_SCRIPT, rowsAbout, runLines, runScript } from '../support/switching-guide.ts';
import { until } from '../support/until.ts';

/* The lines of Menagerie in the guide to switching. interop/switching.test.ts runs those of the other tools. */

const TOOLS = ['Prism', 'WireMock', 'Mockoon', 'json-server'];

const missing = ['bash', 'curl', 'jq'].filter((program) => spawnSync(program, ['--version']).status !== 0);
const skip = missing.length > 0 && `${missing.join(', ')} is not installed`;

void test('guide to switching: its lines work in a playground of the service that it starts', { skip }, async (t) => {
  const starts = new Set(TOOLS.map((tool) => rowsAbout(tool)[0]?.here));
  assert.deepEqual(starts, new Set(['npx menagerie serve --ephemeral --port 8080']));
  const server = startMenagerie(t, ['serve', '--ephemeral', '--port', '0']);
  await until('the service has started', () => Promise.resolve(/^API +\S+$/m.test(server.written.stdout)));
  const origin = /^API +(\S+)\/v2$/m.exec(server.written.stdout)?.[1] ?? assert.fail();
  for (const tool of TOOLS) {
    const script = PLAYGROUND_SCRIPT.replaceAll('http://127.0.0.1:8080', origin);
    const output = execFileSync('bash', ['-c', `${script}\necho "$SERVICE $TOKEN $BASE"`], { encoding: 'utf8' });
    const [SERVICE = '', TOKEN = '', BASE = ''] = output.trim().split(' ');
    assert.ok((await runLines(tool, 'here', BASE, { SERVICE, TOKEN, BASE })) >= 3, tool);
  }
});

void test('guide to switching: its lines for MSW work in the process of a test', async (t) => {
  const module = pathToFileURL(resolve(import.meta.dirname, '../../src/testing/menagerie.ts')).href;
  await runScript(t, 'here', `import { startMenagerie } from '${module}';`, 'menagerie.base');
});
