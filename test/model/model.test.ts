import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { preparePlace } from './run.ts';
import { disagreementOf } from './seeds.ts';

const SEEDS = 100;

/** Seeds that do not fit into it are left out. */
const TURN_MS = 30_000;

void test('the service: agrees with the model in runs from fixed seeds', async (t) => {
  const folder = await newSecuredFolder();
  t.after(() => removeFolder(folder));
  const place = await preparePlace(folder);
  const untilMs = performance.now() + TURN_MS;
  for (let seed = 1; seed <= SEEDS && performance.now() < untilMs; seed++)
    assert.equal(await disagreementOf(place, seed), undefined);
});
