import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Place } from '../model/place.ts';
import { disagreementOf } from '../model/seeds.ts';

const NODES = 2;
const SEEDS = 100;

/** Seeds that do not fit into it are left out. */
const TURN_MS = 60_000;

void test('the service on two nodes: agrees with the model in runs from fixed seeds', async (t) => {
  const place = await Place.prepare({ after: (end) => t.after(end) }, NODES);
  const untilMs = performance.now() + TURN_MS;
  for (let seed = 1; seed <= SEEDS && performance.now() < untilMs; seed++)
    assert.equal(await disagreementOf(place, seed), undefined);
});
