import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Written } from '../../api/records/record-text.ts';
import { readTextCriteria, SUGGESTION_LIMITS } from '../../api/queries/search-queries.ts';
import type { Query } from '../../api/queries/query-values.ts';
import type { Suggestions } from '../../api/records/search.ts';
import type { LabelKind } from '../../domain/search/counts.ts';
import type { PetSearch } from '../../domain/search/pet-search.ts';
import { sendPublicJson } from '../pipeline/compression.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { turnClientOf, type NetworkTurns } from '../pipeline/network-turns.ts';
import { linkCursor, readLimit } from '../pipeline/paging.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { SearchResponses, FoundResponse } from './search-responses.ts';

interface SearchRoutesDeps {
  petSearch: PetSearch;
  searchResponses: SearchResponses;
  searchTurns: NetworkTurns;
  baseOf: (request: FastifyRequest) => string;
}

/** Search, facets and statistics. Each use of the search thread takes a turn. */
export class SearchRoutes {
  readonly #petSearch: PetSearch;
  readonly #searchResponses: SearchResponses;
  readonly #turns: NetworkTurns;
  readonly #baseOf: SearchRoutesDeps['baseOf'];

  constructor({ petSearch, searchResponses, searchTurns, baseOf }: SearchRoutesDeps) {
    this.#petSearch = petSearch;
    this.#searchResponses = searchResponses;
    this.#turns = searchTurns;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('findPets', this.#findPets);
    add('countFacets', this.#countFacets);
    add('listSuggestions', this.#listSuggestions);
    add('listTags', (request, reply) => this.#sendLabels(request, reply, 'tag'));
    add('listCategories', (request, reply) => this.#sendLabels(request, reply, 'category'));
    add('getStatistics', this.#getStatistics);
  }

  readonly #findPets: Handler = async (request, reply) => {
    const client = turnClientOf(request, reply);
    const query = request.query as Query;
    const found = await this.#searchResponses.pets(actorOf(request), query, client, this.#baseOf(request));
    return this.#sendFound(request, reply, found);
  };

  readonly #countFacets: Handler = async (request, reply) => {
    const client = turnClientOf(request, reply);
    const { text } = await this.#searchResponses.facets(actorOf(request), request.query as Query, client);
    return sendPublicJson(request, reply, text);
  };

  readonly #listSuggestions: Handler = async (request, reply) => {
    const query = request.query as Query;
    const criteria = readTextCriteria(query);
    const limit = readLimit(query['limit'], SUGGESTION_LIMITS.default, SUGGESTION_LIMITS.max);
    const { names, categories, tags, breeds } = await this.#turns.take(turnClientOf(request, reply), () =>
      this.#petSearch.suggest(actorOf(request), criteria, limit),
    );
    return sendPublicJson(
      request,
      reply,
      JSON.stringify({ names, categories, tags, breeds } satisfies Written<Suggestions>),
    );
  };

  readonly #getStatistics: Handler = async (request, reply) => {
    const client = turnClientOf(request, reply);
    const text = await this.#searchResponses.statistics(actorOf(request), request.query as Query, client);
    return sendPublicJson(request, reply, text);
  };

  async #sendLabels(request: FastifyRequest, reply: FastifyReply, kind: LabelKind): Promise<FastifyReply> {
    const client = turnClientOf(request, reply);
    const labels = await this.#searchResponses.labels(actorOf(request), kind, request.query as Query, client);
    return this.#sendFound(request, reply, labels);
  }

  #sendFound(request: FastifyRequest, reply: FastifyReply, { text, limit, next }: FoundResponse): FastifyReply {
    if (next !== undefined) linkCursor(request, reply, { limit, cursor: next, origin: this.#baseOf(request) });
    return sendPublicJson(request, reply, text);
  }
}
