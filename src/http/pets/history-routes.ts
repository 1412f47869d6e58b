import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { historyEntryText, petVersionText } from '../../contract/history-views.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';
import type { HistoryEntry, PetHistory, RestoredPet } from '../../domain/pets/pet-history.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendJson, sendPet } from '../answer.ts';
import { demandPage, takePage } from '../paging.ts';
import type { AddRoute } from '../routes.ts';
import { petIdOf } from './pet-id.ts';
import { preconditionOf } from './preconditions.ts';

export interface HistoryRoutesNeeds {
  history: PetHistory;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** To tell what has changed, texts have to be read: so many in one go are a few milliseconds. */
const ENTRIES_AT_ONCE = 100;

/** What a pet was, and the way back. */
export function addHistoryRoutes(add: AddRoute, { history, baseOf }: HistoryRoutesNeeds): void {
  add('listPetHistory', async (request, reply) => {
    const id = petIdOf(request);
    const { limit, lastId } = demandPage(request.query);
    const entries = await takePage<HistoryEntry>(request, reply, {
      limit,
      idOf: ({ version }) => version.version,
      list: (most) => history.listEntries(actorOf(request), id, { beforeVersion: lastId, limit: most }),
      origin: baseOf(request),
    });
    return sendJson(reply, withPhotoOrigin(`[${await textsOf(entries)}]`, baseOf(request)));
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

  add('undeletePet', async (request, reply) => {
    const id = petIdOf(request);
    const restored = await history.bringBack(actorOf(request), id, preconditionOf(request.headers));
    return sendRestored(request, reply, restored);
  });

  function sendRestored(request: FastifyRequest, reply: FastifyReply, { pet, missingPhotos }: RestoredPet) {
    reply.header('menagerie-missing-pictures', missingPhotos);
    return sendPet(reply, pet, baseOf(request));
  }
}

async function textsOf(entries: readonly HistoryEntry[]): Promise<string> {
  const texts: string[] = [];
  while (texts.length < entries.length) {
    if (texts.length > 0) await nextTurn();
    texts.push(...entries.slice(texts.length, texts.length + ENTRIES_AT_ONCE).map(historyEntryText));
  }
  return texts.join();
}

function versionOf({ params }: FastifyRequest): bigint {
  const version = parseInt64((params as { version: string }).version);
  if (version === undefined) throw new Failure('invalid-input', 'Invalid version supplied');
  return version;
}
