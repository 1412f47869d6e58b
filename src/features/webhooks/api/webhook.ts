import { typeOf, type ChangeEvent as DomainEvent } from '../../../domain/events/change-event.ts';
import type { SendOutcome } from '../domain/ports.ts';
import {
  EVENT_PATTERNS,
  WEBHOOK_LIMITS,
  WEBHOOK_STATES,
  type FailedDelivery,
  type Webhook as DomainWebhook,
  type WebhookState,
} from '../domain/webhook.ts';
import { JsonText, recordText, type Written } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';
import { AccountEvent, eventText, PetEvent } from '../../../api/records/change-event.ts';
import { absent, exactly, int32, int64, text, textOrNull, time, timeText } from '../../../api/records/fields.ts';

/*
 * Webhooks as administrators see and change them, and the bodies that are sent to them. A secret is only in
 * `CreatedWebhook`.
 */

const statusOrNull = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  format: 'int32',
  description: 'The status of the last response; null if there was none.',
});
const errorOrNull = textOrNull('The reason why there was no response.');

const EventPattern = Type.Unsafe<string>({
  title: 'EventPattern',
  type: 'string',
  enum: [...EVENT_PATTERNS],
  message: `must be one of ${EVENT_PATTERNS.join(', ')}`,
});

const WEBHOOK_FIELDS = {
  id: Type.String({ description: 'The public id.' }),
  url: Type.String({ description: 'The URL to which events are sent.' }),
  events: Type.Unsafe<readonly string[]>({
    type: 'array',
    items: EventPattern,
    description: 'The types of events that are sent.',
  }),
  state: Type.Unsafe<WebhookState>({
    type: 'string',
    enum: [...WEBHOOK_STATES],
    description: '`gone`: the receiver responded with 410, and nothing is sent until `paused` is set to false.',
  }),
  lastVersion: int64('All changes up to this version were delivered or wait for a retry.'),
  waiting: int32('The number of deliveries that wait for a retry.'),
  createdAt: time('The time of creation.'),
  previousSecretUntil: Type.Optional(
    time('While the secret is being rotated: until this time, the previous one signs events as well.'),
  ),
};

export const Webhook = Type.Object(WEBHOOK_FIELDS, exactly('Webhook'));
export type Webhook = Type.Static<typeof Webhook>;

export const CreatedWebhook = Type.Object(
  { ...WEBHOOK_FIELDS, secret: Type.String({ description: 'The key that signs events. It is shown only once.' }) },
  exactly('CreatedWebhook'),
);
export type CreatedWebhook = Type.Static<typeof CreatedWebhook>;

export const DeadLetter = Type.Object(
  {
    id: int64('The version of the change.'),
    attempts: int32('The number of attempts.'),
    lastStatus: statusOrNull,
    lastError: errorOrNull,
    lastAt: time('The time of the last attempt.'),
  },
  exactly('DeadLetter'),
);
export type DeadLetter = Type.Static<typeof DeadLetter>;

export const WebhookTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the response was a success.' }),
    status: statusOrNull,
    error: errorOrNull,
  },
  exactly('WebhookTest'),
);
export type WebhookTest = Type.Static<typeof WebhookTest>;

/** The body of a request to a webhook (`webhookBody`). */
const delivery = <T extends Type.TSchema>(title: string, data: T) =>
  Type.Object(
    {
      type: Type.String({ minLength: 1, description: 'The type of the event.' }),
      timestamp: time('The time of the change.'),
      data,
    },
    { title, additionalProperties: false },
  );

export const PetDelivery = delivery('PetDelivery', PetEvent);
export type PetDelivery = Type.Static<typeof PetDelivery>;
export const AccountDelivery = delivery('AccountDelivery', AccountEvent);
export type AccountDelivery = Type.Static<typeof AccountDelivery>;
export const PingDelivery = delivery('PingDelivery', Type.Object({}, { title: 'NoData', description: 'Empty.' }));

export function webhookText(webhook: DomainWebhook): string {
  return recordText<Webhook>(webhookFields(webhook));
}

/** Contains the secret, which is shown only once. */
export function createdWebhookText(webhook: DomainWebhook): string {
  return recordText<CreatedWebhook>({ ...webhookFields(webhook), secret: webhook.secret });
}

function webhookFields({
  id,
  url,
  patterns,
  state,
  lastVersion,
  waiting,
  createdAtMs,
  previousSecret,
}: DomainWebhook): Written<Webhook> {
  const createdAt = timeText(createdAtMs);
  const previousSecretUntil = previousSecret && timeText(previousSecret.untilMs);
  return { id, url, events: patterns, state, lastVersion, waiting, createdAt, previousSecretUntil };
}

export function deadLetterText({ version, attempts, lastStatus, lastError, lastAtMs }: FailedDelivery): string {
  return recordText<DeadLetter>({
    id: version,
    attempts,
    lastStatus: lastStatus ?? null,
    lastError: lastError ?? null,
    lastAt: timeText(lastAtMs),
  });
}

export function webhookTestText(outcome: SendOutcome): string {
  const status = 'status' in outcome ? outcome.status : null;
  const error = 'error' in outcome ? outcome.error : null;
  return recordText<WebhookTest>({ delivered: status !== null && status >= 200 && status < 300, status, error });
}

/** The body of a delivery (https://www.standardwebhooks.com). */
export function webhookBody(event: DomainEvent, origin: string): string {
  const data = new JsonText(eventText(event, origin));
  return recordText<PetDelivery | AccountDelivery>({ type: typeOf(event), timestamp: timeText(event.atMs), data });
}

const url = text(WEBHOOK_LIMITS.urlLength);

const events = Type.Unsafe<readonly string[]>({
  type: 'array',
  minItems: 1,
  maxItems: WEBHOOK_LIMITS.patterns,
  uniqueItems: true,
  items: EventPattern,
  message: 'must be a list of event types, such as pet.added or pet.*, without duplicates',
});

/** 24 to 64 bytes, as Standard Webhooks recommends. */
const secret = Type.Unsafe<string>({
  type: 'string',
  pattern: '^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  message: 'must be whsec_ followed by 24 to 64 bytes in base64; if it is omitted, a secret is generated',
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
