import type { ServerFeature } from '../../../server/features/feature.ts';
import { counter, gauge, histogram } from '../../../server/metrics/families.ts';
import type { DatabaseStores } from '../../../storage/rows/stores/stores.ts';
import { DeliveryActivity } from '../domain/delivery-activity.ts';
import { LimitedSender } from '../domain/limited-sender.ts';
import type { WebhookSender } from '../domain/ports.ts';
import { WEBHOOK_LIMITS } from '../domain/webhook.ts';
import { WebhookLag } from '../domain/webhook-lag.ts';
import { WebhookAdministration } from '../domain/webhook-administration.ts';
import { WebhookRoutes } from '../http/webhook-routes.ts';
import { Sender } from '../sender/sender.ts';
import { sendToWebhooks } from './webhook-sending.ts';

export interface UseCases {
  webhookAdministration: WebhookAdministration;
  webhookLag: WebhookLag;
  webhookSender: WebhookSender;
  /** Those of playgrounds count as well. */
  webhookDeliveries: DeliveryActivity;
}

/** URLs of other systems to which changes are sent. */
export const WEBHOOKS: ServerFeature<UseCases> = {
  compose(core, playground) {
    const { webhookDeliveries = new DeliveryActivity(), webhookSender } = playground?.useCasesOfService ?? {};
    const { settings, tracing } = core;
    const isPrivateAllowed = settings['webhook-private-addresses'] === 'true';
    const sender =
      playground && webhookSender
        ? new LimitedSender(webhookSender, (body) => playground.takeTraffic(body))
        : new Sender({ isPrivateAllowed, timeoutMs: settings.webhookTimeoutMs, tracing });
    const most = playground?.limits.webhooks ?? WEBHOOK_LIMITS.webhooks;
    return {
      webhookAdministration: new WebhookAdministration({ ...core, sender, most }),
      webhookLag: new WebhookLag(core),
      webhookSender: sender,
      webhookDeliveries,
    };
  },
  routesOf: (useCases) => new WebhookRoutes(useCases),
  startWork: (node, { webhookSender: sender, webhookDeliveries: deliveries }) => ({
    isBusy: () => isSending(node.stores),
    stop: sendToWebhooks({ ...node, sender, deliveries }),
  }),
  close: ({ webhookSender }) => webhookSender.close(),
  clear: {
    'secrets of webhooks': ({ webhooks }, nowMs) => webhooks.apply({ kind: 'forget-secrets', nowMs }),
  },
  async readMetrics({ webhooks }, { webhookDeliveries, webhookLag }) {
    const { delivered, failed, dead, durations } = webhookDeliveries;
    const outcomes = Object.entries({ delivered, failed, dead });
    const counts = outcomes.map(([outcome, count]) => [{ outcome }, count] as const);
    // Every node reports the same. While the database is unavailable, it is unknown.
    const all = await webhooks.list().catch(() => undefined);
    const pending = all?.reduce((sum, { waiting }) => sum + waiting, 0);
    const lagMs = await webhookLag.readMs().catch(() => undefined);
    return [
      counter('menagerie_webhook_deliveries_total', 'Attempts; dead: the last attempt failed.', counts),
      histogram('menagerie_webhook_delivery_duration_seconds', 'Duration of attempts.', [[{}, durations]]),
      ...(pending === undefined
        ? []
        : [gauge('menagerie_webhook_deliveries_pending', 'Failed deliveries that will be retried.', pending)]),
      ...(lagMs === undefined
        ? []
        : [gauge('menagerie_webhook_lag_seconds', 'Age of the oldest change that was not sent yet.', lagMs / 1000)]),
    ];
  },
};

/** Whether webhooks still have to receive changes, or a delivery is retried. */
async function isSending({ webhooks, changeFeed }: DatabaseStores): Promise<boolean> {
  const [all, newest] = await Promise.all([webhooks.list(), changeFeed.lastVersion()]);
  return all.some(({ state, waiting, lastVersion }) => state === 'active' && (waiting > 0 || lastVersion < newest));
}
