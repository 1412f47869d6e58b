import type { AdminTab } from '../../../web/features/web-feature.ts';

export const WEBHOOKS_TAB: AdminTab = { to: '/admin/webhooks', labelIn: (t) => t('webhooks.title') };
