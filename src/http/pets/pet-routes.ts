import type { FastifyReply, FastifyRequest } from 'fastify';
import { SentPet, SentPetForm, SentPetPatch } from '../../api/records/sent-pet.ts';
import { assignable } from '../../api/read-bodies.ts';
import { readPet, readPetForm, readPetPatch } from '../../api/read-pet.ts';
import { adviceOnIgnored, readPetstoreList } from '../../api/queries/query-values.ts';
import { Failure } from '../../domain/failure.ts';
import { PET_STATUSES, type PetStatus, type StoredPet } from '../../domain/pets/pet.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendApiResponse } from '../pipeline/response.ts';
import { readPage } from '../pipeline/paging.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { sendAll, sendPage, type PetLister } from './lists.ts';
import { entityTagOf, etagOf, isUnchanged, petIdOf, preconditionOf, sendPet } from './pet-resource.ts';

interface PetRoutesDeps {
  catalogue: PetCatalogue;
  baseOf: (request: FastifyRequest) => string;
}

/**
 * findPetsByTags was already deprecated when this API was first described, on 2026-11-20 (RFC 9745: the date as Unix
 * time).
 */
const FIND_BY_TAGS_DEPRECATED = '@1795132800';

export class PetRoutes {
  readonly #catalogue: PetCatalogue;
  readonly #baseOf: PetRoutesDeps['baseOf'];

  constructor({ catalogue, baseOf }: PetRoutesDeps) {
    this.#catalogue = catalogue;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('addPet', this.#addPet, SentPet);
    add('updatePet', this.#updatePet, SentPet);
    add('findPetsByStatus', this.#findPetsByStatus);
    add('findPetsByTags', this.#findPetsByTags);
    add('getPetById', this.#getPetById);
    add('updatePetWithForm', this.#updatePetWithForm, SentPetForm);
    add('patchPet', this.#patchPet, SentPetPatch);
    add('deletePet', this.#deletePet);
  }

  readonly #addPet: Handler<SentPet> = async (request, reply) => {
    const { id, pet } = readPet(request.body);
    const actor = actorOf(request);
    const stored = await this.#catalogue.addPet(actor, assignable(id), pet, preconditionOf(request.headers));
    return sendPet(reply, stored, this.#baseOf(request));
  };

  readonly #updatePet: Handler<SentPet> = async (request, reply) => {
    const { id, pet } = readPet(request.body);
    const actor = actorOf(request);
    const stored = await this.#catalogue.replacePet(actor, requireId(id), pet, preconditionOf(request.headers));
    return sendPet(reply, stored, this.#baseOf(request));
  };

  readonly #findPetsByStatus: Handler = (request, reply) => {
    const statuses = readStatuses(request.query);
    return this.#sendList(request, reply, (page) => this.#catalogue.listByStatus(actorOf(request), statuses, page));
  };

  readonly #findPetsByTags: Handler = (request, reply) => {
    const tagNames = readTagNames(request.query);
    reply.header('deprecation', FIND_BY_TAGS_DEPRECATED);
    return this.#sendList(request, reply, (page) => this.#catalogue.listByTags(actorOf(request), tagNames, page));
  };

  readonly #getPetById: Handler = (request, reply) => {
    const pet = this.#catalogue.getPet(actorOf(request), petIdOf(request));
    if (pet instanceof Promise) return pet.then((found) => this.#sendIfChanged(request, reply, found));
    this.#sendIfChanged(request, reply, pet);
    return undefined;
  };

  readonly #updatePetWithForm: Handler<SentPetForm> = async (request, reply) => {
    const id = petIdOf(request);
    const edit = readPetForm(request.body);
    const pet = await this.#catalogue.editPet(actorOf(request), id, edit, preconditionOf(request.headers));
    return sendApiResponse(reply.header('etag', etagOf(pet, request)), String(id));
  };

  readonly #patchPet: Handler<SentPetPatch> = async (request, reply) => {
    const id = petIdOf(request);
    const edit = readPetPatch(request.body, id);
    const pet = await this.#catalogue.editPet(actorOf(request), id, edit, preconditionOf(request.headers));
    return sendPet(reply, pet, this.#baseOf(request));
  };

  readonly #deletePet: Handler = async (request, reply) => {
    const id = petIdOf(request);
    await this.#catalogue.deletePet(actorOf(request), id, preconditionOf(request.headers));
    return sendApiResponse(reply, String(id));
  };

  #sendIfChanged(request: FastifyRequest, reply: FastifyReply, pet: StoredPet): FastifyReply {
    if (isUnchanged(request.headers, entityTagOf(pet, request)))
      return reply.code(304).header('etag', etagOf(pet, request)).send();
    return sendPet(reply, pet, this.#baseOf(request));
  }

  #sendList(request: FastifyRequest, reply: FastifyReply, list: PetLister): Promise<FastifyReply> {
    const page = readPage(request.query);
    const origin = this.#baseOf(request);
    return page === undefined ? sendAll(request, reply, list, origin) : sendPage(request, reply, list, page, origin);
  }
}

function requireId(id: bigint | undefined): bigint {
  const known = assignable(id);
  if (known === undefined) {
    throw new Failure('invalid-input', 'Invalid ID supplied: to update a pet, send its ID.', {
      problems: [{ path: '/id', message: 'must be the positive ID of the pet to update' }],
    });
  }
  return known;
}

function readStatuses(query: unknown): readonly PetStatus[] {
  const values = readPetstoreList(query, 'status') ?? [];
  if (values.length === 0 || !values.every(isStatus))
    throw new Failure('invalid-input', `Invalid status value${adviceOnIgnored(query, 'status')}`);
  return values;
}

function isStatus(value: string): value is PetStatus {
  return (PET_STATUSES as readonly string[]).includes(value);
}

function readTagNames(query: unknown): readonly string[] {
  const values = [...new Set(readPetstoreList(query, 'tags'))];
  if (values.length === 0 || values.some((value) => value.trim() === ''))
    throw new Failure('invalid-input', `Invalid tag value${adviceOnIgnored(query, 'tags')}`);
  return values;
}
