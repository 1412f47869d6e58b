import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../src/server/configuration/config.ts';
import { SETTINGS } from '../../src/server/configuration/settings.ts';
import { environmentOfImage } from './compose-files.ts';

const UNIT = resolve(import.meta.dirname, '../../deploy/menagerie.service');
const PACKAGE = resolve(import.meta.dirname, '../../package.json');
const ANALYZE = '/usr/bin/systemd-analyze';
const skip = existsSync(ANALYZE) ? false : 'systemd-analyze is not installed';

/** In tenths; 10 is no protection. */
const MAX_EXPOSURE = 15;

const run = promisify(execFile);

async function valuesOf(key: string): Promise<string[]> {
  const lines = (await readFile(UNIT, 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

void describe('systemd unit', () => {
  void it('systemd-analyze verify: reports nothing', { skip }, async () => {
    const { stdout, stderr } = await run(ANALYZE, ['verify', UNIT]);
    assert.equal(stdout + stderr, '');
  });

  void it(`systemd-analyze security: exposure is at most ${MAX_EXPOSURE / 10}`, { skip }, async () => {
    await run(ANALYZE, ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, UNIT]);
    await assert.rejects(
      run(ANALYZE, ['security', '--offline=true', '--threshold=1', UNIT]),
      'the threshold is in effect',
    );
  });

  void it('memory allocator: has one arena, as in the image and with npm start', async () => {
    assert.ok((await valuesOf('Environment')).includes('MALLOC_ARENA_MAX=1'));
    assert.equal(environmentOfImage()['MALLOC_ARENA_MAX'], '1');
    const { scripts } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { scripts: Record<string, string> };
    assert.match(scripts['start'] ?? '', /^MALLOC_ARENA_MAX=\$\{MALLOC_ARENA_MAX:-1\} /);
  });

  void it('variables and credentials: are settings', async () => {
    const variables = (await valuesOf('Environment')).map((text) => text.split('=') as [string, string]);
    const result = readConfig(['--access', 'secured'], Object.fromEntries(variables));
    assert.ok('config' in result && result.config.dataDir === '/var/lib/menagerie');
    const known = new Set<string>(SETTINGS.map(({ name }) => `menagerie.${name}`));
    const credentials = (await valuesOf('LoadCredential')).filter((name) => name !== 'aws-credentials');
    assert.ok(credentials.includes('menagerie.database-url'));
    assert.deepEqual(
      credentials.filter((name) => !known.has(name)),
      [],
    );
    const [stopSeconds = ''] = await valuesOf('TimeoutStopSec');
    const { drainMs, stopTimeoutMs } = result.config;
    assert.ok(Number(stopSeconds) * 1000 > drainMs + stopTimeoutMs + 5000, 'it has enough time to stop');
  });
});
