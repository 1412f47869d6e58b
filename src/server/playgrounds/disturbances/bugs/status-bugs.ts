import { jsonText } from '../../../../api/records/record-text.ts';
import { readJson } from '../../../../client/int64-text.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import { lastSegment, type Visit } from '../answers/visit.ts';
import { isJson, type Answer, type PlantedBug } from './planted-bug.ts';
import { CONDITIONAL } from './request-bugs.ts';

/* Bugs of the status of responses. */

export const STATUS_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-07': () => withStatus(['addPet'], 200, 201),
  'bug-13': () => ({ operations: ['getUserByName'], after: withExactName }),
  'bug-18': () => withStatus(['getPetById'], 404, 200),
  'bug-24': () => ({ operations: ['deletePet'], after: deletedAgain }),
  'bug-25': () => withStatus(CONDITIONAL, 412, 409),
  'bug-27': () => withStatus(['addPet', 'updatePet', 'patchPet', 'createUser', 'updateUser'], 415, 400),
};

function withStatus(operations: PlantedBug['operations'], right: number, wrong: number): PlantedBug {
  return { operations, after: (_visit, { status }) => (status === right ? { status: wrong } : undefined) };
}

function withExactName(visit: Visit, answer: Answer): Partial<Answer> | undefined {
  if (!isJson(answer)) return undefined;
  const { username } = readJson(answer.body) as { username: string };
  if (username === lastSegment(visit)) return undefined;
  return { status: 404, body: jsonText({ code: 1, type: 'error', message: 'User not found' }) };
}

/** Like a statement that is not asked how many rows it has deleted. */
function deletedAgain(visit: Visit, { status }: Answer): Partial<Answer> | undefined {
  if (status !== 404) return undefined;
  return { status: 200, body: jsonText({ code: 200, type: 'unknown', message: lastSegment(visit) }) };
}
