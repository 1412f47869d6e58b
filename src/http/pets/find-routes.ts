import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Written } from '../../api/answers.ts';
import { timeOf, type Query } from '../../api/query-values.ts';
import type { Statistics } from '../../api/records/found-pets.ts';
import type { LabelKind } from '../../domain/search/counts.ts';
import type { PetSearch } from '../../domain/search/pet-search.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendJson } from '../answer.ts';
import { linkCursor } from '../paging.ts';
import type { AddRoute, Handler } from '../routes.ts';
import type { FindAnswers, FoundAnswer } from './find-answers.ts';

export interface FindRoutesDeps {
  petSearch: PetSearch;
  findAnswers: FindAnswers;
  /** The URL at which the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** Search, facets and statistics. */
export class FindRoutes {
  readonly #petSearch: PetSearch;
  readonly #findAnswers: FindAnswers;
  readonly #baseOf: FindRoutesDeps['baseOf'];

  constructor({ petSearch, findAnswers, baseOf }: FindRoutesDeps) {
    this.#petSearch = petSearch;
    this.#findAnswers = findAnswers;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('findPets', this.#findPets);
    add('countChoices', this.#countChoices);
    add('listTags', (request, reply) => this.#sendLabels(request, reply, 'tag'));
    add('listCategories', (request, reply) => this.#sendLabels(request, reply, 'category'));
    add('getStatistics', this.#getStatistics);
  }

  readonly #findPets: Handler = async (request, reply) => {
    const found = await this.#findAnswers.pets(actorOf(request), request.query as Query, this.#baseOf(request));
    return this.#sendFound(request, reply, found);
  };

  readonly #countChoices: Handler = async (request, reply) => {
    const { text } = await this.#findAnswers.choices(actorOf(request), request.query as Query);
    return sendJson(reply, text);
  };

  readonly #getStatistics: Handler = async ({ query }, reply) => {
    const { total, statuses, withoutStatus, categories, tags, pictures, days } = await this.#petSearch.statistics(
      timeOf(query as Query, 'since'),
      timeOf(query as Query, 'until'),
    );
    const record = { total, statuses, withoutStatus, categories, tags, pictures, days } satisfies Written<Statistics>;
    return sendJson(reply, JSON.stringify(record));
  };

  async #sendLabels(request: FastifyRequest, reply: FastifyReply, kind: LabelKind): Promise<FastifyReply> {
    return this.#sendFound(request, reply, await this.#findAnswers.labels(kind, request.query as Query));
  }

  #sendFound(request: FastifyRequest, reply: FastifyReply, { text, limit, next }: FoundAnswer): FastifyReply {
    if (next !== undefined) linkCursor(request, reply, { limit, cursor: next, origin: this.#baseOf(request) });
    return sendJson(reply, text);
  }
}
