import { appendFileSync } from 'node:fs';
import { watchAnswers } from './answer-watch.ts';

/*
 * Loaded by Node.js into the servers that tests start as processes of their own (`--import`): writes down what they answer, for the test to check at its
 * end. Only some of a kind, so that a test of load stays one; at once, because such a process may be killed at any moment.
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
