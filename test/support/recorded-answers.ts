import { appendFileSync } from 'node:fs';
import { watchAnswers } from './answer-watch.ts';

/*
 * Imported into separate servers of tests (`--import`): records their answers, for the test to check at its end. Only
 * some of each kind, so that a load test stays one; synchronously, because the process may be killed at any moment.
 */

const MAX_OF_A_KIND = 10;

const path = process.env['TEST_ANSWERS_FILE'];
const counts = new Map<string, number>();

if (path !== undefined)
  watchAnswers((answer) => {
    const kind = `${answer.method} ${answer.status} ${answer.target.replace(/\?.*$/s, '').replaceAll(/\d+/g, '0')}`;
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    if (count < MAX_OF_A_KIND) appendFileSync(path, `${JSON.stringify(answer)}\n`);
  });
