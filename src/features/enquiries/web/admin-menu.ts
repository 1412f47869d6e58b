import type { AdminMenuItem } from '../../../web/features/web-feature.ts';

export const ENQUIRIES_ITEM: AdminMenuItem = {
  group: 'organisation',
  to: '/admin/enquiries',
  labelIn: (t) => t('enquiries'),
};
