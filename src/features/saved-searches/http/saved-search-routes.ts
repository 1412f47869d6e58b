import type { FastifyRequest } from 'fastify';
import { SentToken } from '../../../api/records/account.ts';
import { erasureText, SentErasure } from '../../../api/records/erasure.ts';
import { savedSearchText as recordTextOf, SentSavedSearch } from '../api/saved-search.ts';
import { readSavedCriteria, savedSearchText } from '../api/saved-search-queries.ts';
import { textOf, type Query } from '../../../api/queries/query-values.ts';
import type { Anonymous } from '../../../domain/access.ts';
import { Failure } from '../../../domain/failure.ts';
import type { SavedSearches } from '../domain/saved-searches.ts';
import { PAGES, STOP_PATH } from '../domain/search-mail.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import { actorOf, anonymousOf } from '../../../http/pipeline/identify-actor.ts';
import { refuseUnknownPath } from '../../../http/pipeline/failure-responses.ts';
import { sendApiResponse, sendJson } from '../../../http/pipeline/response.ts';
import type { AddRoute, Handler } from '../../../http/pipeline/routes.ts';

const STOP_ROUTE = `${STOP_PATH}:token`;

export class SavedSearchRoutes implements FeatureRoutes {
  readonly form;
  readonly #savedSearches: SavedSearches;

  constructor({ savedSearches }: { savedSearches: SavedSearches }) {
    this.#savedSearches = savedSearches;
    this.form = { name: 'saved-searches', isClosedFor: (client: Anonymous) => savedSearches.isClosedFor(client) };
  }

  addTo(add: AddRoute, { app, basePath, hasPages }: FeatureHttp): void {
    add('createSavedSearch', this.#create, SentSavedSearch);
    add('confirmSavedSearch', this.#confirm, SentToken);
    add('stopSavedSearch', this.#stop);
    add('listSavedSearches', this.#list);
    add('eraseSavedSearches', this.#erase, SentErasure);
    // Mail programs post to this URL (RFC 8058). Others open it, and so do scanners: GET only shows the page.
    app.post(STOP_ROUTE, { config: { changes: true, isPrivate: true } }, this.#stop);
    if (!hasPages) return;
    app.get(STOP_ROUTE, { config: { isPrivate: true } }, (request, reply) =>
      reply.redirect(`${basePath()}${PAGES.manage}${encodeURIComponent(tokenIn(request))}`, 303),
    );
  }

  readonly #create: Handler<SentSavedSearch> = async (request, reply) => {
    const { email, language, search: sent } = request.body;
    const search = savedSearchText(sent);
    const criteria = readSavedCriteria(search);
    await this.#savedSearches.add(anonymousOf(request), { email, language, search, criteria });
    return sendApiResponse(reply, 'ok');
  };

  readonly #confirm: Handler<SentToken> = async (request, reply) =>
    sendJson(reply, recordTextOf(await this.#savedSearches.confirm(anonymousOf(request), request.body.token)));

  readonly #stop: Handler = async (request, reply) => {
    const token = tokenIn(request);
    // An empty segment is not a token.
    if (token === '') refuseUnknownPath();
    await this.#savedSearches.stop(anonymousOf(request), token);
    return sendApiResponse(reply, 'ok');
  };

  readonly #list: Handler = async (request, reply) => {
    const searches = await this.#savedSearches.list(actorOf(request), emailIn(request.query as Query));
    return sendJson(reply, `[${searches.map(recordTextOf).join()}]`);
  };

  readonly #erase: Handler<SentErasure> = async (request, reply) => {
    const erased = await this.#savedSearches.erase(actorOf(request), request.body.email.trim());
    return sendJson(reply, erasureText(erased));
  };
}

function tokenIn({ params }: FastifyRequest): string {
  return (params as { token: string }).token;
}

/** @throws Failure `invalid-input` */
function emailIn(query: Query): string {
  const email = textOf(query, 'email');
  if (email === undefined || email === '') throw new Failure('invalid-input', 'email is required.');
  return email;
}
