import type { FastifyReply, FastifyRequest } from 'fastify';
import { timeOf, type Query } from '../../api/query-values.ts';
import type { LabelKind } from '../../domain/search/counts.ts';
import type { PetSearch } from '../../domain/search/pet-search.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendJson } from '../answer.ts';
import type { AddRoute } from '../routes.ts';
import type { FindAnswers, FoundAnswer } from './find-answers.ts';
import { nextUrl } from './find-cursors.ts';

export interface FindRoutesNeeds {
  petSearch: PetSearch;
  findAnswers: FindAnswers;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** Looking into the catalogue, beyond Petstore's operations. */
export function addFindRoutes(add: AddRoute, { petSearch, findAnswers, baseOf }: FindRoutesNeeds): void {
  add('findPets', async (request, reply) => {
    const found = await findAnswers.pets(actorOf(request), request.query as Query, baseOf(request));
    return sendFound(request, reply, found);
  });

  add('countChoices', async (request, reply) => {
    const { text } = await findAnswers.choices(actorOf(request), request.query as Query);
    return sendJson(reply, text);
  });

  add('listTags', (request, reply) => sendLabels(request, reply, 'tag'));
  add('listCategories', (request, reply) => sendLabels(request, reply, 'category'));

  add('getStatistics', async ({ query }, reply) => {
    const { total, statuses, withoutStatus, categories, tags, pictures, days } = await petSearch.statistics(
      timeOf(query as Query, 'since'),
      timeOf(query as Query, 'until'),
    );
    return sendJson(reply, JSON.stringify({ total, statuses, withoutStatus, categories, tags, pictures, days }));
  });

  async function sendLabels(request: FastifyRequest, reply: FastifyReply, kind: LabelKind) {
    return sendFound(request, reply, await findAnswers.labels(kind, request.query as Query));
  }

  function sendFound(request: FastifyRequest, reply: FastifyReply, { text, limit, next }: FoundAnswer) {
    if (next !== undefined) reply.header('link', `<${nextUrl(request, limit, next, baseOf(request))}>; rel="next"`);
    return sendJson(reply, text);
  }
}
