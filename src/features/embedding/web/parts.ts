import type { WebParts } from '../../../web/features/web-feature.ts';

export const EMBEDDING_PARTS: WebParts = {
  adminTab: { to: '/admin/embedding', labelIn: (t) => t('embedding.title') },
};
