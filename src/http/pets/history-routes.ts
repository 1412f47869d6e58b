import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { historyEntryText, petVersionText, removedPetText } from '../../api/history-views.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';
import type { PetHistory, RestoredPet } from '../../domain/pets/pet-history.ts';
import type { HistoryEntry, RemovedPet } from '../../domain/pets/pet-version.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendJson, sendPet } from '../answer.ts';
import { demandPage, linkNext, takePage } from '../paging.ts';
import type { AddRoute } from '../routes.ts';
import { petIdOf } from './pet-id.ts';
import { preconditionOf } from './preconditions.ts';

export interface HistoryRoutesNeeds {
  history: PetHistory;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** A page ends behind the entry with which it is longer than this. */
const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;

/** To tell what has changed, texts have to be read and compared: after so long, others have their turn. */
const MAX_BUSY_MS = 2;

/** What a pet was, and the way back. */
export function addHistoryRoutes(add: AddRoute, { history, baseOf }: HistoryRoutesNeeds): void {
  add('listPetHistory', async (request, reply) => {
    const id = petIdOf(request);
    const { limit, lastId } = demandPage(request.query);
    const origin = baseOf(request);
    const entries = history.listEntries(actorOf(request), id, { beforeVersion: lastId, limit });
    const { texts, end } = await pageOf(entries, origin);
    if (end !== undefined) linkNext(request, reply, { limit, lastId: end, origin });
    return sendJson(reply, `[${texts.join()}]`);
  });

  add('getPetVersion', async (request, reply) => {
    const id = petIdOf(request);
    const entry = await history.getEntry(actorOf(request), id, versionOf(request));
    return sendJson(reply, withPhotoOrigin(petVersionText(entry), baseOf(request)));
  });

  add('restorePetVersion', async (request, reply) => {
    const id = petIdOf(request);
    const precondition = preconditionOf(request.headers);
    const restored = await history.restoreVersion(actorOf(request), id, versionOf(request), precondition);
    return sendRestored(request, reply, restored);
  });

  add('listRemovedPets', async (request, reply) => {
    const { limit, lastId } = demandPage(request.query);
    const removed = await takePage<RemovedPet>(request, reply, {
      limit,
      idOf: ({ version }) => version,
      list: (most) => history.listDeleted(actorOf(request), { beforeVersion: lastId, limit: most }),
      origin: baseOf(request),
    });
    return sendJson(reply, `[${removed.map(removedPetText).join()}]`);
  });

  add('undeletePet', async (request, reply) => {
    const id = petIdOf(request);
    const restored = await history.restoreDeleted(actorOf(request), id, preconditionOf(request.headers));
    return sendRestored(request, reply, restored);
  });

  function sendRestored(request: FastifyRequest, reply: FastifyReply, { pet, missingPhotos }: RestoredPet) {
    reply.header('menagerie-missing-pictures', missingPhotos);
    return sendPet(reply, pet, baseOf(request));
  }
}

/** The texts of entries, not too long together, and the version with which they end where there are older ones. */
async function pageOf(entries: AsyncIterable<HistoryEntry>, origin: string) {
  const texts: string[] = [];
  let characters = 0;
  let last: HistoryEntry | undefined;
  let busySinceMs = performance.now();
  for await (const entry of entries) {
    const text = withPhotoOrigin(historyEntryText(entry), origin);
    texts.push(text);
    last = entry;
    characters += text.length;
    if (characters > MAX_PAGE_CHARACTERS) break;
    if (performance.now() - busySinceMs < MAX_BUSY_MS) continue;
    await nextTurn();
    busySinceMs = performance.now();
  }
  return { texts, end: last?.version.previous === undefined ? undefined : last.version.version };
}

function versionOf({ params }: FastifyRequest): bigint {
  const version = parseInt64((params as { version: string }).version);
  if (version === undefined) throw new Failure('invalid-input', 'Invalid version supplied');
  return version;
}
