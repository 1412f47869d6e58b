import type { FastifyRequest } from 'fastify';
import { createCheck } from '../../api/check.ts';
import {
  createdPlaygroundText,
  playgroundText,
  readNewPlayground,
  SentPlayground,
  snapshotText,
} from '../../api/records/playgrounds/playground.ts';
import type { PlaygroundAdministration } from '../../domain/playgrounds/playground-administration.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

interface PlaygroundRoutesDeps {
  playgrounds: PlaygroundAdministration;
  /** The URL at which the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

const check = createCheck(SentPlayground);

export class PlaygroundRoutes {
  readonly #playgrounds: PlaygroundAdministration;
  readonly #baseOf: PlaygroundRoutesDeps['baseOf'];

  constructor({ playgrounds, baseOf }: PlaygroundRoutesDeps) {
    this.#playgrounds = playgrounds;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('createPlayground', this.#create);
    add('listPlaygrounds', this.#list);
    add('getPlayground', this.#get);
    add('deletePlayground', this.#delete);
    add('resetPlayground', this.#reset);
    add('takePlaygroundSnapshot', this.#takeSnapshot);
    add('restorePlaygroundSnapshot', this.#restoreSnapshot);
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
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token;
}
