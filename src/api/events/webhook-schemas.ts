import { Type } from 'typebox';
import { EVENT_PATTERNS, WEBHOOK_LIMITS } from '../../domain/events/webhook.ts';
import { absent, text } from '../pet-schemas.ts';

/*
 * What administrators send of webhooks.
 */

const url = text(WEBHOOK_LIMITS.urlLength);

const events = Type.Unsafe<readonly string[]>({
  type: 'array',
  minItems: 1,
  maxItems: WEBHOOK_LIMITS.patterns,
  uniqueItems: true,
  items: { enum: EVENT_PATTERNS, message: `must be one of ${EVENT_PATTERNS.join(', ')}` },
  message: 'must be a list of types of events, such as pet.added or pet.*, each once',
});

/** 24 to 64 bytes, as Standard Webhooks recommends. */
const secret = Type.Unsafe<string>({
  type: 'string',
  pattern: '^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  message: 'must be whsec_ followed by 24 to 64 bytes in base64; left out, one is made',
});

export const SentWebhook = Type.Object(
  { url, events, secret: absent(secret) },
  { title: 'SentWebhook', message: 'must be a JSON object' },
);

export type SentWebhook = Type.Static<typeof SentWebhook>;

export const SentWebhookEdit = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    secret: Type.Optional(secret),
    paused: Type.Optional(Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' })),
  },
  { title: 'SentWebhookEdit', message: 'must be a JSON object' },
);

export type SentWebhookEdit = Type.Static<typeof SentWebhookEdit>;
