import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import * as fc from 'fast-check';
import { Place, type PlaceOptions } from './place.ts';
import { Disagreement, runSteps } from './run.ts';
import { runsWith, type Step } from './steps.ts';

/** More than fit into a turn. */
const FIXED_SEEDS = 100;

/** Tests runs from fixed seeds, as many as fit into this time. */
export async function assertAgrees(t: TestContext, turnMs: number, options?: PlaceOptions): Promise<void> {
  const place = await Place.prepare({ after: (end) => t.after(end) }, options);
  const untilMs = performance.now() + turnMs;
  for (let seed = 1; seed <= FIXED_SEEDS && performance.now() < untilMs; seed++)
    assert.equal(await disagreementOf(place, seed), undefined);
}

/** For leaving out steps: a run that waits for what does not come takes long. */
const TURN_MS = 60_000;

/**
 * Runs what follows from the seed.
 *
 * @param onFound is called with a disagreement before steps are left out
 * @returns the calls of the fewest steps that show a disagreement, as a shell script; undefined if there is none
 */
export async function disagreementOf(
  place: Place,
  seed: number,
  onFound: (message: string) => void = () => {},
): Promise<string | undefined> {
  const [steps = []] = fc.sample(runsWith(place.kills), { seed, numRuns: 1 });
  const first = await failureOf(place, steps);
  if (first === undefined) return undefined;
  onFound(first.message);
  const { message } = await reduce(place, steps, first);
  return `The service and the model disagree in the run of seed ${seed}:\n${message}`;
}

/** Leaves out what the disagreement does not need, first all later steps, then one step after the other. */
async function reduce(place: Place, steps: readonly Step[], first: Disagreement): Promise<Disagreement> {
  let [left, failure] = [steps.slice(0, first.taken), first];
  const untilMs = performance.now() + TURN_MS;
  for (let index = left.length - 1; index >= 0 && performance.now() < untilMs; index--) {
    const fewer = left.toSpliced(index, 1);
    const failed = await failureOf(place, fewer);
    if (failed !== undefined) [left, failure] = [fewer, failed];
  }
  return failure;
}

async function failureOf(place: Place, steps: readonly Step[]): Promise<Disagreement | undefined> {
  try {
    await runSteps(place, steps);
    return undefined;
  } catch (error) {
    if (error instanceof Disagreement) return error;
    throw error;
  }
}
