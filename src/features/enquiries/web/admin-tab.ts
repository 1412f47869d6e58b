import type { AdminTab } from '../../../web/features/web-feature.ts';

export const ENQUIRIES_TAB: AdminTab = { to: '/admin/enquiries', labelIn: (t) => t('enquiries') };
