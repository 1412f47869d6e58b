import type { AdminMenuItem } from '../../../web/features/web-feature.ts';

export const EMBEDDING_ITEM: AdminMenuItem = {
  group: 'organisation',
  to: '/admin/embedding',
  labelIn: (t) => t('embedding.title'),
};
