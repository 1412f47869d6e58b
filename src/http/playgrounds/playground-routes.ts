import type { FastifyReply, FastifyRequest } from 'fastify';
import { createStrictCheck } from '../../api/check.ts';
import {
  createdPlaygroundText,
  playgroundText,
  readNewPlayground,
  SentPlayground,
  snapshotText,
} from '../../api/records/playgrounds/playground.ts';
import { bugsText, SentPlaygroundBugs } from '../../api/records/playgrounds/bugs.ts';
import { readFaultRules } from '../../api/read-faults.ts';
import { faultsText, SentPlaygroundFaults } from '../../api/records/playgrounds/faults.ts';
import { choiceOf, type Query } from '../../api/queries/query-values.ts';
import { readRequestFilter } from '../../api/queries/recorded-request-queries.ts';
import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import { ARCHIVE_END, archiveBegin, archiveEntryText } from '../../api/records/playgrounds/http-archive.ts';
import { recordedRequestText } from '../../api/records/playgrounds/recorded-request.ts';
import type { PlaygroundAdministration } from '../../domain/playgrounds/playground-administration.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import type { RecordedRequest } from '../../domain/playgrounds/recorded-request.ts';
import { acceptsOf, JSON_TYPE, NDJSON_TYPE } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson, sendRecords } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { ServiceState } from '../service/service-routes.ts';

interface PlaygroundRoutesDeps {
  playgrounds: PlaygroundAdministration;
  baseOf: (request: FastifyRequest) => string;
  state: Pick<ServiceState, 'version'>;
}

const check = createStrictCheck(SentPlayground);

export class PlaygroundRoutes {
  readonly #playgrounds: PlaygroundAdministration;
  readonly #baseOf: PlaygroundRoutesDeps['baseOf'];
  readonly #version: string;

  constructor({ playgrounds, baseOf, state }: PlaygroundRoutesDeps) {
    this.#playgrounds = playgrounds;
    this.#baseOf = baseOf;
    this.#version = state.version;
  }

  addTo(add: AddRoute): void {
    add('createPlayground', this.#create);
    add('listPlaygrounds', this.#list);
    add('getPlayground', this.#get);
    add('deletePlayground', this.#delete);
    add('resetPlayground', this.#reset);
    add('takePlaygroundSnapshot', this.#takeSnapshot);
    add('restorePlaygroundSnapshot', this.#restoreSnapshot);
    add('listPlaygroundRequests', this.#listRequests);
    add('exportPlaygroundRequests', this.#exportRequests);
    add('deletePlaygroundRequests', this.#deleteRequests);
    add('getPlaygroundFaults', this.#getFaults);
    add('setPlaygroundFaults', this.#setFaults, SentPlaygroundFaults);
    add('getPlaygroundBugs', this.#getBugs);
    add('setPlaygroundBugs', this.#setBugs, SentPlaygroundBugs);
  }

  readonly #create: Handler = async (request, reply) => {
    // The body is optional, so the route has no schema for it.
    const options = readNewPlayground(check(request.body ?? {}));
    const created = await this.#playgrounds.create(actorOf(request), options);
    return sendJson(reply, createdPlaygroundText(created, this.#baseOf(request)));
  };

  readonly #list: Handler = async (request, reply) => {
    const all = await this.#playgrounds.list(actorOf(request));
    return sendJson(reply, `[${all.map((each) => playgroundText(each, this.#baseOf(request))).join()}]`);
  };

  readonly #get: Handler = async (request, reply) =>
    sendJson(reply, playgroundText(this.#playgrounds.host.get(tokenOf(request)), this.#baseOf(request)));

  readonly #delete: Handler = async (request, reply) => {
    const token = tokenOf(request);
    await this.#playgrounds.host.delete(token);
    return sendApiResponse(reply, token);
  };

  readonly #reset: Handler = async (request, reply) =>
    sendJson(reply, playgroundText(await this.#playgrounds.host.reset(tokenOf(request)), this.#baseOf(request)));

  readonly #takeSnapshot: Handler = async (request, reply) =>
    sendJson(reply, snapshotText(await this.#playgrounds.host.takeSnapshot(tokenOf(request))));

  readonly #restoreSnapshot: Handler = async (request, reply) => {
    const { snapshot } = request.params as { snapshot: string };
    const restored = await this.#playgrounds.host.restore(tokenOf(request), snapshot);
    return sendJson(reply, playgroundText(restored, this.#baseOf(request)));
  };

  readonly #listRequests: Handler = async (request, reply) => {
    const batches = this.#requestsFor(request);
    if (acceptsOf(request.headers).ndjson)
      return sendAs(
        NDJSON_TYPE,
        request,
        reply,
        textsOf(batches, (each) => `${recordedRequestText(each)}\n`),
      );
    return sendAs(JSON_TYPE, request, reply, around('[', listedTexts(batches, recordedRequestText), ']'));
  };

  readonly #exportRequests: Handler = async (request, reply) => {
    const base = `${this.#baseOf(request)}/${PLAYGROUND_SEGMENT}/${tokenOf(request)}`;
    const entries = listedTexts(this.#requestsFor(request), (each) => archiveEntryText(each, base));
    reply.header('content-disposition', 'attachment; filename="requests.har"');
    return sendAs(JSON_TYPE, request, reply, around(archiveBegin(this.#version), entries, ARCHIVE_END));
  };

  readonly #deleteRequests: Handler = async (request, reply) => {
    const token = tokenOf(request);
    this.#playgrounds.host.deleteRequests(token);
    return sendApiResponse(reply, token);
  };

  readonly #getFaults: Handler = async (request, reply) =>
    sendJson(reply, faultsText(this.#playgrounds.host.faults(tokenOf(request))));

  readonly #setFaults: Handler<SentPlaygroundFaults> = async (request, reply) => {
    const rules = readFaultRules(request.body);
    return sendJson(reply, faultsText(this.#playgrounds.host.setFaults(tokenOf(request), rules)));
  };

  readonly #getBugs: Handler = async (request, reply) => {
    const include = choiceOf(request.query as Query, 'include', ['description']);
    return sendJson(reply, bugsText(this.#playgrounds.host.bugs(tokenOf(request)), include !== undefined));
  };

  readonly #setBugs: Handler<SentPlaygroundBugs> = async (request, reply) =>
    sendJson(reply, bugsText(this.#playgrounds.host.setBugs(tokenOf(request), request.body.on), false));

  #requestsFor(request: FastifyRequest): Iterable<readonly RecordedRequest[]> {
    return this.#playgrounds.host.listRequests(tokenOf(request), readRequestFilter(request.query as Query));
  }
}

type Texts = AsyncGenerator<string, void, void>;

function sendAs(mediaType: string, request: FastifyRequest, reply: FastifyReply, texts: Texts): FastifyReply {
  return sendRecords(request, reply.header('content-type', mediaType), texts);
}

async function* textsOf<T>(batches: Iterable<readonly T[]>, textOf: (one: T) => string): Texts {
  for (const batch of batches) yield batch.map(textOf).join('');
}

/** Separated by commas. */
async function* listedTexts<T>(batches: Iterable<readonly T[]>, textOf: (one: T) => string): Texts {
  let separator = '';
  for (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + batch.map(textOf).join();
    separator = ',';
  }
}

async function* around(begin: string, texts: Texts, end: string): Texts {
  yield begin;
  yield* texts;
  yield end;
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token;
}
