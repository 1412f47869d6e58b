import type { AdminTab } from '../../../web/features/web-feature.ts';

export const LISTINGS_TAB: AdminTab = { to: '/admin/listings', labelIn: (t) => t('listings.title') };
