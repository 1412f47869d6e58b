import type { AdminMenuItem } from '../../../web/features/web-feature.ts';

export const WEBHOOKS_ITEM: AdminMenuItem = {
  group: 'service',
  to: '/admin/webhooks',
  labelIn: (t) => t('webhooks.title'),
};
