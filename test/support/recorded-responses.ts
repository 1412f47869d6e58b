import { appendFileSync, openSync } from 'node:fs';
import { watchResponses } from './response-watch.ts';

/*
 * Imported into separate servers of tests (`--import`): records their responses, for the test to check at its end. Only
 * some of each kind, so that a load test stays one; synchronously, because the process may be killed at any moment.
 */

const MAX_OF_A_KIND = 10;

const path = process.env['TEST_RESPONSES_FILE'];
const counts = new Map<string, number>();

if (path !== undefined) {
  // Opened once: the process may have no file descriptor left when it responds.
  const file = openSync(path, 'a');
  watchResponses((response) => {
    const kind = `${response.method} ${response.status} ${response.target.replace(/\?.*$/s, '').replaceAll(/\d+/g, '0')}`;
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    if (count < MAX_OF_A_KIND) appendFileSync(file, `${JSON.stringify(response)}\n`);
  });
}
