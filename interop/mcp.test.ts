import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startForOthers } from './service.ts';

/**
 * The conformance tests of the Model Context Protocol that need neither tools of their own nor features that the server
 * does not have. Those of this version cover the protocol up to 2025-11-25.
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const PROGRAM = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

const run = promisify(execFile);

const { origin } = await startForOthers({ after });

void describe('MCP conformance', () => {
  for (const scenario of SCENARIOS)
    void it(scenario, async () => {
      // It fails with a code other than 0.
      const { stdout } = await run(process.execPath, [
        PROGRAM,
        'server',
        '--url',
        `${origin}/mcp`,
        '--scenario',
        scenario,
      ]);
      assert.match(stdout, /Passed: (\d+)\/\1, 0 failed/);
    });
});
