import type { FastifyRequest } from 'fastify';
import {
  createdWebhookText,
  deadLetterText,
  SentWebhook,
  SentWebhookEdit,
  webhookTestText,
  webhookText,
} from '../api/webhook.ts';
import type { WebhookAdministration } from '../domain/webhook-administration.ts';
import { letterNotFound, type FailedDelivery } from '../domain/webhook.ts';
import { parseInt64 } from '../../../domain/int64.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import { actorOf } from '../../../http/pipeline/identify-actor.ts';
import { sendApiResponse, sendJson } from '../../../http/pipeline/response.ts';
import { readPageOrFirst, takePage } from '../../../http/pipeline/paging.ts';
import type { AddRoute, Handler } from '../../../http/pipeline/routes.ts';

export class WebhookRoutes implements FeatureRoutes {
  readonly #webhooks: WebhookAdministration;
  #baseOf: FeatureHttp['baseOf'] = () => '';

  constructor({ webhookAdministration }: { webhookAdministration: WebhookAdministration }) {
    this.#webhooks = webhookAdministration;
  }

  addTo(add: AddRoute, { baseOf }: FeatureHttp): void {
    this.#baseOf = baseOf;
    add('listWebhooks', this.#listWebhooks);
    add('createWebhook', this.#createWebhook, SentWebhook);
    add('getWebhook', this.#getWebhook);
    add('updateWebhook', this.#updateWebhook, SentWebhookEdit);
    add('deleteWebhook', this.#deleteWebhook);
    add('rotateWebhookSecret', this.#rotateSecret);
    add('endSecretRotation', this.#endRotation);
    add('testWebhook', this.#testWebhook);
    add('listDeadLetters', this.#listDeadLetters);
    add('retryDeadLetters', this.#retryDeadLetters);
    add('retryDeadLetter', this.#retryDeadLetter);
  }

  readonly #listWebhooks: Handler = async (request, reply) => {
    const all = await this.#webhooks.list(actorOf(request));
    return sendJson(reply, `[${all.map(webhookText).join()}]`);
  };

  readonly #createWebhook: Handler<SentWebhook> = async (request, reply) => {
    const { url, events, secret } = request.body;
    const settings = { url, patterns: events, secret: secret ?? undefined };
    const created = await this.#webhooks.create(actorOf(request), settings, this.#baseOf(request));
    return sendJson(reply, createdWebhookText(created));
  };

  readonly #getWebhook: Handler = async (request, reply) =>
    sendJson(reply, webhookText(await this.#webhooks.get(actorOf(request), webhookIdOf(request))));

  readonly #updateWebhook: Handler<SentWebhookEdit> = async (request, reply) => {
    const { url, events, secret, paused } = request.body;
    const edit = { url, patterns: events, secret, isPaused: paused };
    return sendJson(reply, webhookText(await this.#webhooks.update(actorOf(request), webhookIdOf(request), edit)));
  };

  readonly #deleteWebhook: Handler = async (request, reply) => {
    await this.#webhooks.delete(actorOf(request), webhookIdOf(request));
    return sendApiResponse(reply, webhookIdOf(request));
  };

  readonly #rotateSecret: Handler = async (request, reply) =>
    sendJson(reply, createdWebhookText(await this.#webhooks.rotateSecret(actorOf(request), webhookIdOf(request))));

  readonly #endRotation: Handler = async (request, reply) =>
    sendJson(reply, webhookText(await this.#webhooks.endRotation(actorOf(request), webhookIdOf(request))));

  readonly #testWebhook: Handler = async (request, reply) =>
    sendJson(reply, webhookTestText(await this.#webhooks.test(actorOf(request), webhookIdOf(request))));

  readonly #listDeadLetters: Handler = async (request, reply) => {
    const { limit, lastId = 0n } = readPageOrFirst(request.query);
    const letters = await takePage<FailedDelivery>(request, reply, {
      limit,
      idOf: ({ version }) => version,
      list: (most) =>
        this.#webhooks.listDeadLetters(actorOf(request), webhookIdOf(request), { afterVersion: lastId, limit: most }),
      origin: this.#baseOf(request),
    });
    return sendJson(reply, `[${letters.map(deadLetterText).join()}]`);
  };

  readonly #retryDeadLetters: Handler = async (request, reply) =>
    sendApiResponse(reply, String(await this.#webhooks.retryDeadLetters(actorOf(request), webhookIdOf(request))));

  readonly #retryDeadLetter: Handler = async (request, reply) => {
    const { letterId } = request.params as { letterId: string };
    const version = parseInt64(letterId);
    if (version === undefined) throw letterNotFound();
    await this.#webhooks.retryDeadLetters(actorOf(request), webhookIdOf(request), version);
    return sendApiResponse(reply, version.toString());
  };
}

function webhookIdOf(request: FastifyRequest): string {
  return (request.params as { webhookId: string }).webhookId;
}
