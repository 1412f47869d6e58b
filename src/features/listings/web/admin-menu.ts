import type { AdminMenuItem } from '../../../web/features/web-feature.ts';

export const LISTINGS_ITEM: AdminMenuItem = {
  group: 'organisation',
  to: '/admin/listings',
  labelIn: (t) => t('listings.title'),
};
