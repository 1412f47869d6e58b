import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { historyEntryText, petVersionText, deletedPetText } from '../../api/records/pet-version.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';
import type { PetHistory, RestoredPet } from '../../domain/pets/pet-history.ts';
import type { HistoryEntry, DeletedPet } from '../../domain/pets/pet-version.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendJson } from '../pipeline/response.ts';
import { turnClientOf } from '../pipeline/network-turns.ts';
import { linkNext, readPageOrFirst, takePage } from '../pipeline/paging.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { petIdOf, preconditionOf, sendPet } from './pet-resource.ts';

interface HistoryRoutesDeps {
  history: PetHistory;
  baseOf: (request: FastifyRequest) => string;
}

/** A page ends with the entry that makes it longer than this. */
const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;

/** Comparing versions takes time, so it yields to other requests after this time. */
const MAX_BUSY_MS = 2;

export class HistoryRoutes {
  readonly #history: PetHistory;
  readonly #baseOf: HistoryRoutesDeps['baseOf'];

  constructor({ history, baseOf }: HistoryRoutesDeps) {
    this.#history = history;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('listPetHistory', this.#listPetHistory);
    add('getPetVersion', this.#getPetVersion);
    add('restorePetVersion', this.#restorePetVersion);
    add('listDeletedPets', this.#listDeletedPets);
    add('restorePet', this.#restorePet);
  }

  readonly #listPetHistory: Handler = async (request, reply) => {
    const id = petIdOf(request);
    const { limit, lastId } = readPageOrFirst(request.query);
    const origin = this.#baseOf(request);
    const entries = this.#history.listEntries(actorOf(request), id, { beforeVersion: lastId, limit });
    const { texts, end } = await reply.server.recordTurns.take(
      turnClientOf(request, reply),
      () => readHistoryPage(entries, origin),
      (page) => page.texts.reduce((sum, text) => sum + text.length, 0),
    );
    if (end !== undefined) linkNext(request, reply, { limit, lastId: end, origin });
    return sendJson(reply, `[${texts.join()}]`);
  };

  readonly #getPetVersion: Handler = async (request, reply) => {
    const id = petIdOf(request);
    const entry = await this.#history.getEntry(actorOf(request), id, versionOf(request));
    return sendJson(reply, withPhotoOrigin(petVersionText(entry), this.#baseOf(request)));
  };

  readonly #restorePetVersion: Handler = async (request, reply) => {
    const id = petIdOf(request);
    const precondition = preconditionOf(request.headers);
    const restored = await this.#history.restoreVersion(actorOf(request), id, versionOf(request), precondition);
    return this.#sendRestored(request, reply, restored);
  };

  readonly #listDeletedPets: Handler = async (request, reply) => {
    const { limit, lastId } = readPageOrFirst(request.query);
    const deleted = await takePage<DeletedPet>(request, reply, {
      limit,
      idOf: ({ version }) => version,
      list: (max) => this.#history.listDeleted(actorOf(request), { beforeVersion: lastId, limit: max }),
      origin: this.#baseOf(request),
    });
    return sendJson(reply, `[${deleted.map(deletedPetText).join()}]`);
  };

  readonly #restorePet: Handler = async (request, reply) => {
    const id = petIdOf(request);
    const restored = await this.#history.restoreDeleted(actorOf(request), id, preconditionOf(request.headers));
    return this.#sendRestored(request, reply, restored);
  };

  #sendRestored(request: FastifyRequest, reply: FastifyReply, { pet, missingPhotos }: RestoredPet): FastifyReply {
    reply.header('menagerie-missing-photos', missingPhotos);
    return sendPet(reply, pet, this.#baseOf(request));
  }
}

/** The texts of a page of entries, and its last version if there are older ones. */
export async function readHistoryPage(entries: AsyncIterable<HistoryEntry>, origin: string) {
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
    await nextIteration();
    busySinceMs = performance.now();
  }
  return { texts, end: last?.version.previous === undefined ? undefined : last.version.version };
}

function versionOf({ params }: FastifyRequest): bigint {
  const version = parseInt64((params as { version: string }).version);
  if (version === undefined) throw new Failure('invalid-input', 'Invalid version supplied');
  return version;
}
