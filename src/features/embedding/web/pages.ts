import type { FeaturePages } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';

export const EMBEDDING_PAGES: FeaturePages = {
  '/admin/embedding': lazyPage(() => import('./embedding-page.tsx'), 'EmbeddingPage'),
};
