import type { TSchema } from 'typebox';
import { AccountDelivery, PetDelivery, PingDelivery } from './webhook.ts';
import type { SentRequests } from '../../../api/documents/parts/sent-requests.ts';
import type { SchemaWriter } from '../../../api/documents/parts/schema-writer.ts';

const AT_LEAST_ONCE =
  'An event is sent at least once to each webhook that follows its type, with increasing delays until the response ' +
  'has a status of 2xx.';

/** Standard Webhooks (https://www.standardwebhooks.com). */
const SIGNATURE_HEADERS = {
  DeliveryId: signatureHeader(
    'webhook-id',
    'The ID of the event: the same for every attempt and every webhook, so that a receiver can ignore what it has ' +
      'processed.',
  ),
  DeliveryTimestamp: signatureHeader('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  DeliverySignature: signatureHeader(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. The key is the secret ' +
      'after `whsec_`, decoded from base64. While the secret is being rotated, a second signature by the previous ' +
      'one follows after a space.',
  ),
};

/** The requests that the service sends to webhooks (`createWebhook`), as OpenAPI 3.1 describes them (section 4.8.1). */
export const WEBHOOK_REQUESTS: SentRequests = {
  headers: SIGNATURE_HEADERS,
  requestsIn: (schemas) => ({
    petEvent: sent('petEvent', 'A pet was changed', AT_LEAST_ONCE, PetDelivery, schemas),
    accountEvent: sent(
      'accountEvent',
      'An account was changed',
      'Sent in the same way as `petEvent`.',
      AccountDelivery,
      schemas,
    ),
    ping: sent('ping', 'A test by an administrator (`testWebhook`)', 'Sent once.', PingDelivery, schemas),
  }),
};

function signatureHeader(name: string, description: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

function sent(operationId: string, summary: string, description: string, body: TSchema, schemas: SchemaWriter) {
  return {
    post: {
      operationId,
      tags: ['webhooks'],
      summary,
      description,
      security: [],
      parameters: Object.keys(SIGNATURE_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': { schema: schemas.write(body) } } },
      responses: {
        '2XX': { description: 'The event was received.' },
        '410': { description: 'The receiver wants no more events. Nothing more is sent.' },
      },
    },
  };
}
