import { Type } from 'typebox';
import { SentWebhook, SentWebhookEdit } from '../../records/webhook.ts';
import { json, jsonBody, type OperationDescription } from '../format.ts';
import { PAGE } from '../parameters.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { int64 } from '../../records/fields.ts';
import { CreatedWebhook, DeadLetter, Webhook, WebhookTest } from '../../records/webhook.ts';

const ONE = {
  group: 'events',
  path: { webhookId: Type.String({ minLength: 1, description: 'The public id of the webhook.' }) },
} as const;
const NO_WEBHOOK = 'Webhook not found';

/** Who is sent what changes: for administrators to say. */
export const WEBHOOK_OPERATIONS = {
  listWebhooks: {
    group: 'events',
    summary: 'All webhooks',
    description: 'Returns all webhooks in the order in which they were created.',
    answers: { 200: json(Type.Array(Webhook), 'The webhooks, without their secrets.', 'Cache-Control') },
  },
  createWebhook: {
    group: 'events',
    summary: 'Have changes sent to an address',
    description:
      'Each change from now on is sent by POST at least once, signed as Standard Webhooks has it; `webhook-id` is the same for every attempt. What is not answered with a status of 2xx is tried again, after longer and longer times; in the end it is a dead letter. An answer 410 ends it all.',
    body: jsonBody(SentWebhook),
    answers: { 200: json(CreatedWebhook, 'The webhook, with its secret, which is shown this once.', 'Cache-Control') },
    failures: { 409: 'There are as many webhooks as there may be' },
  },
  getWebhook: {
    ...ONE,
    summary: 'A webhook',
    description: 'Returns one webhook with the state of its deliveries.',
    answers: { 200: json(Webhook, 'The webhook, without its secret.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  updateWebhook: {
    ...ONE,
    summary: 'Change a webhook, or let it pause',
    description: 'What is left out stays as it is. One that does not pause any more is told of all that it has missed.',
    body: jsonBody(SentWebhookEdit),
    answers: { 200: json(Webhook, 'The webhook as it is now.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  removeWebhook: {
    ...ONE,
    summary: 'Remove a webhook, with all that waits to be sent to it',
    description: 'Nothing is sent to the address any more. Pending deliveries and dead letters are deleted.',
    answers: { 200: json(ApiResponse, 'It is gone; the message is its id.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  testWebhook: {
    ...ONE,
    summary: 'Send a webhook something to see whether it arrives',
    description: 'An event `webhook.ping` without data is sent once, at this moment.',
    answers: { 200: json(WebhookTest, 'What came of it.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  listDeadLetters: {
    ...ONE,
    summary: 'What could not be delivered',
    description: 'Returns the deliveries that failed after all retries, by the number of the change.',
    query: PAGE,
    answers: {
      200: json(Type.Array(DeadLetter), 'The dead letters, by the number of the change.', 'Link', 'Cache-Control'),
    },
    failures: { 404: NO_WEBHOOK },
  },
  sendDeadLettersAgain: {
    ...ONE,
    summary: 'Send all dead letters again',
    description: 'Queues all dead letters of the webhook, as if they had never been sent.',
    answers: { 200: json(ApiResponse, 'They are about to be sent; the message is how many.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  sendDeadLetterAgain: {
    ...ONE,
    summary: 'Send a dead letter again',
    description: 'Queues one dead letter, as if it had never been sent.',
    path: { ...ONE.path, letterId: int64('The number of the change.') },
    answers: { 200: json(ApiResponse, 'It is about to be sent; the message is its id.', 'Cache-Control') },
    failures: { 404: 'Webhook not found, or it has no such dead letter' },
  },
} as const satisfies Record<string, OperationDescription>;
