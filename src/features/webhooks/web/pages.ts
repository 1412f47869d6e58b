import type { FeaturePages } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';

export const WEBHOOK_PAGES: FeaturePages = {
  '/admin/webhooks': lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
  '/admin/webhooks/$webhookId': lazyPage(() => import('./webhook-page.tsx'), 'WebhookPage'),
};
