import { Type } from 'typebox';
import { EVENT_PATTERNS, WEBHOOK_STATES, type WebhookState } from '../../../domain/events/webhook.ts';
import { AccountEvent, PetEvent } from './change-event.ts';
import { int64, time } from './int64.ts';

const int32 = (description: string) => Type.Unsafe<number>({ type: 'integer', format: 'int32', description });
const statusOrNull = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  format: 'int32',
  description: 'The status of the last answer; null where there was none.',
});
const errorOrNull = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Why there was no answer, in a few words.',
});

const WEBHOOK_FIELDS = {
  id: Type.String({ description: 'Its public id.' }),
  url: Type.String({ description: 'Where events are sent to.' }),
  events: Type.Unsafe<readonly string[]>({
    type: 'array',
    items: { type: 'string', enum: [...EVENT_PATTERNS] },
    description: 'Of which types it is told.',
  }),
  state: Type.Unsafe<WebhookState>({
    type: 'string',
    enum: [...WEBHOOK_STATES],
    description: '`gone`: the receiver has answered 410, and nothing more is sent until `paused` is set to false.',
  }),
  lastVersion: int64('Up to this change, all was sent or waits to be sent again.'),
  waiting: int32('So many wait to be sent again.'),
  createdAt: time('When it was made.'),
};

export const Webhook = Type.Object(WEBHOOK_FIELDS, { title: 'Webhook', additionalProperties: false });
export type Webhook = Type.Static<typeof Webhook>;

export const CreatedWebhook = Type.Object(
  { ...WEBHOOK_FIELDS, secret: Type.String({ description: 'By which events are signed. It is shown this once.' }) },
  { title: 'CreatedWebhook', additionalProperties: false },
);
export type CreatedWebhook = Type.Static<typeof CreatedWebhook>;

export const DeadLetter = Type.Object(
  {
    id: int64('The number of the change.'),
    attempts: int32('So often it was tried.'),
    lastStatus: statusOrNull,
    lastError: errorOrNull,
    lastAt: time('When it was tried last.'),
  },
  { title: 'DeadLetter', additionalProperties: false },
);
export type DeadLetter = Type.Static<typeof DeadLetter>;

export const WebhookTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Was the answer a success?' }),
    status: statusOrNull,
    error: errorOrNull,
  },
  { title: 'WebhookTest', additionalProperties: false },
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
export const AccountDelivery = delivery('AccountDelivery', AccountEvent);
export const PingDelivery = delivery('PingDelivery', Type.Object({}, { title: 'NoData', description: 'Empty.' }));
