import type { FastifyRequest } from 'fastify';
import { SentWebhook, SentWebhookEdit } from '../../api/events/webhook-schemas.ts';
import { createdWebhookText, deadLetterText, webhookTestText, webhookText } from '../../api/events/webhook-views.ts';
import type { WebhookAdministration } from '../../domain/events/webhook-administration.ts';
import { letterNotFound, type FailedDelivery } from '../../domain/events/webhook.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendApiResponse, sendJson } from '../answer.ts';
import { demandPage, takePage } from '../paging.ts';
import type { AddRoute } from '../routes.ts';

export interface WebhookRoutesNeeds {
  webhookAdministration: WebhookAdministration;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** Who is sent what changes: for administrators to say. */
export function addWebhookRoutes(add: AddRoute, { webhookAdministration: webhooks, baseOf }: WebhookRoutesNeeds): void {
  add('listWebhooks', async (request, reply) => {
    const all = await webhooks.list(actorOf(request));
    return sendJson(reply, `[${all.map(webhookText).join()}]`);
  });

  add(
    'createWebhook',
    async (request, reply) => {
      const { url, events, secret } = request.body;
      const settings = { url, patterns: events, secret: secret ?? undefined };
      return sendJson(reply, createdWebhookText(await webhooks.create(actorOf(request), settings, baseOf(request))));
    },
    SentWebhook,
  );

  add('getWebhook', async (request, reply) =>
    sendJson(reply, webhookText(await webhooks.get(actorOf(request), webhookIdOf(request)))),
  );

  add(
    'updateWebhook',
    async (request, reply) => {
      const { url, events, secret, paused } = request.body;
      const edit = { url, patterns: events, secret, isPaused: paused };
      return sendJson(reply, webhookText(await webhooks.update(actorOf(request), webhookIdOf(request), edit)));
    },
    SentWebhookEdit,
  );

  add('removeWebhook', async (request, reply) => {
    await webhooks.delete(actorOf(request), webhookIdOf(request));
    return sendApiResponse(reply, webhookIdOf(request));
  });

  add('testWebhook', async (request, reply) =>
    sendJson(reply, webhookTestText(await webhooks.test(actorOf(request), webhookIdOf(request)))),
  );

  add('listDeadLetters', async (request, reply) => {
    const { limit, lastId = 0n } = demandPage(request.query);
    const letters = await takePage<FailedDelivery>(request, reply, {
      limit,
      idOf: ({ version }) => version,
      list: (most) =>
        webhooks.listDeadLetters(actorOf(request), webhookIdOf(request), { afterVersion: lastId, limit: most }),
      origin: baseOf(request),
    });
    return sendJson(reply, `[${letters.map(deadLetterText).join()}]`);
  });

  add('sendDeadLettersAgain', async (request, reply) =>
    sendApiResponse(reply, String(await webhooks.sendAgain(actorOf(request), webhookIdOf(request)))),
  );

  add('sendDeadLetterAgain', async (request, reply) => {
    const { letterId } = request.params as { letterId: string };
    const version = parseInt64(letterId);
    if (version === undefined) throw letterNotFound();
    await webhooks.sendAgain(actorOf(request), webhookIdOf(request), version);
    return sendApiResponse(reply, version.toString());
  });
}

function webhookIdOf(request: FastifyRequest): string {
  return (request.params as { webhookId: string }).webhookId;
}
