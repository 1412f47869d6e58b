import { store } from '../../../storage/rows/stores/store-entry.ts';
import type { WebhookStore } from '../domain/ports.ts';
import { SqlWebhookStore, applyWebhookChange } from './webhook-store.ts';

export const WEBHOOK_STORES = {
  webhooks: store((deps): WebhookStore => new SqlWebhookStore(deps), applyWebhookChange),
};
