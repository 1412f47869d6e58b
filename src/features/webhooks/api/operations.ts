import * as Type from '../../../api/records/type.ts';
import type { Example } from '../../../api/documents/examples/example.ts';
import { json, jsonBody, type OperationDescription } from '../../../api/documents/parts/format.ts';
import { PAGE } from '../../../api/documents/parts/parameters.ts';
import { ApiResponse } from '../../../api/records/api-response.ts';
import { int64 } from '../../../api/records/fields.ts';
import { CreatedWebhook, DeadLetter, SentWebhook, SentWebhookEdit, Webhook, WebhookTest } from './webhook.ts';

const ONE = {
  group: 'webhooks',
  path: { webhookId: Type.String({ minLength: 1, description: 'The public ID of the webhook.' }) },
} as const;
const NO_WEBHOOK = 'Webhook not found';

export const WEBHOOK_OPERATIONS = {
  listWebhooks: {
    group: 'webhooks',
    summary: 'List webhooks',
    description: 'Returns all webhooks in the order in which they were created.',
    responses: { 200: json(Type.Array(Webhook), 'The webhooks, without their secrets.', 'Cache-Control') },
  },
  createWebhook: {
    group: 'webhooks',
    summary: 'Create a webhook',
    description:
      'Sends each later change to the URL at least once, as a POST signed according to Standard Webhooks. ' +
      '`webhook-id` is the same for every attempt and every webhook. Unless the response has a status of 2xx, the ' +
      'delivery is retried with increasing delays, and after 429 or 503 not before `Retry-After`, at most a day; after ' +
      'the last retry it becomes a dead letter. A response of 410 stops all deliveries.',
    body: jsonBody(SentWebhook),
    responses: { 200: json(CreatedWebhook, 'The webhook with its secret, which is shown only once.', 'Cache-Control') },
    failures: { 409: 'The maximum number of webhooks is reached' },
  },
  getWebhook: {
    ...ONE,
    summary: 'Get a webhook',
    description: 'Returns one webhook with the state of its deliveries.',
    responses: { 200: json(Webhook, 'The webhook, without its secret.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  updateWebhook: {
    ...ONE,
    summary: 'Update or pause a webhook',
    description:
      'Omitted fields are unchanged. A webhook that is resumed receives the events since it was paused. A `secret` ' +
      'replaces the current one immediately, and ends a rotation.',
    body: jsonBody(SentWebhookEdit),
    responses: { 200: json(Webhook, 'The webhook after the change.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  rotateWebhookSecret: {
    ...ONE,
    summary: 'Rotate the secret of a webhook',
    description:
      'Replaces the secret by a new one. Until `previousSecretUntil`, a week later, or until the rotation is ended, ' +
      '`webhook-signature` has two signatures, separated by a space: by the new secret and by the previous one. ' +
      'Receivers accept either.',
    responses: {
      200: json(CreatedWebhook, 'The webhook with its new secret, which is shown only once.', 'Cache-Control'),
    },
    failures: { 404: NO_WEBHOOK, 409: 'The secret is being rotated' },
  },
  endSecretRotation: {
    ...ONE,
    summary: 'End the rotation of a secret',
    description: 'The previous secret stops signing immediately. Without a rotation, nothing is changed.',
    responses: { 200: json(Webhook, 'The webhook after the change.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  deleteWebhook: {
    ...ONE,
    summary: 'Delete a webhook',
    description: 'Deletes the webhook with its pending deliveries and dead letters.',
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the webhook.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  testWebhook: {
    ...ONE,
    summary: 'Test a webhook',
    description: 'Sends an event `webhook.ping` without data once, and returns the outcome.',
    responses: { 200: json(WebhookTest, 'The outcome.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  listDeadLetters: {
    ...ONE,
    summary: 'List dead letters',
    description: 'Returns the deliveries that failed after all retries, in the order of the changes.',
    query: PAGE,
    responses: {
      200: json(Type.Array(DeadLetter), 'The dead letters.', 'Link', 'Cache-Control'),
    },
    failures: { 404: NO_WEBHOOK },
  },
  retryDeadLetters: {
    ...ONE,
    summary: 'Retry all dead letters',
    description: 'Queues all dead letters of the webhook for delivery, with all their retries.',
    responses: { 200: json(ApiResponse, 'The dead letters are queued. The message is their number.', 'Cache-Control') },
    failures: { 404: NO_WEBHOOK },
  },
  retryDeadLetter: {
    ...ONE,
    summary: 'Retry a dead letter',
    description: 'Queues one dead letter for delivery, with all its retries.',
    path: { ...ONE.path, letterId: int64('The version of the change.') },
    responses: { 200: json(ApiResponse, 'The dead letter is queued. The message is its ID.', 'Cache-Control') },
    failures: { 404: 'Webhook or dead letter not found' },
  },
} as const satisfies Record<string, OperationDescription>;

export const WEBHOOK_EXAMPLES = {
  createWebhook: {
    body: { url: 'https://hooks.example.org/menagerie', events: ['pet.*'] },
    keep: { webhookId: '/id' },
    response: {
      id: '616365fd13333092887417cd',
      url: 'https://hooks.example.org/menagerie',
      events: ['pet.*'],
      state: 'active',
      lastVersion: 56,
      waiting: 0,
      createdAt: '2026-11-26T09:00:00.000Z',
      secret: 'whsec_MR4e7AqhNm2KDeOnjIQSrvGIaoP2g8llA36OswU5LnY=',
    },
  },
  listWebhooks: {},
  getWebhook: {
    parameters: { webhookId: '{{webhookId}}' },
    response: {
      id: '616365fd13333092887417cd',
      url: 'https://hooks.example.org/menagerie',
      events: ['pet.*'],
      state: 'active',
      lastVersion: 56,
      waiting: 0,
      createdAt: '2026-11-26T09:00:00.000Z',
    },
  },
  updateWebhook: { parameters: { webhookId: '{{webhookId}}' }, body: { paused: true } },
  rotateWebhookSecret: {
    parameters: { webhookId: '{{webhookId}}' },
    response: {
      id: '616365fd13333092887417cd',
      url: 'https://hooks.example.org/menagerie',
      events: ['pet.*'],
      state: 'active',
      lastVersion: 56,
      waiting: 0,
      createdAt: '2026-11-26T09:00:00.000Z',
      previousSecretUntil: '2026-12-05T09:00:00.000Z',
      secret: 'whsec_dGhlIG5ldyBzZWNyZXQgb2YgdGhlIHJlY2VpdmVyIQ==',
    },
  },
  endSecretRotation: { parameters: { webhookId: '{{webhookId}}' } },
  listDeadLetters: { parameters: { webhookId: '{{webhookId}}' }, response: [] },
  retryDeadLetters: {
    parameters: { webhookId: '{{webhookId}}' },
    response: { code: 200, type: 'unknown', message: '0' },
  },
  deleteWebhook: {
    parameters: { webhookId: '{{webhookId}}' },
    response: { code: 200, type: 'unknown', message: '616365fd13333092887417cd' },
  },
} as const satisfies Record<string, Example>;

export const WEBHOOK_LINKS = {
  createWebhook: {
    testWebhook: { webhookId: '$response.body#/id' },
    deleteWebhook: { webhookId: '$response.body#/id' },
  },
} as const;
