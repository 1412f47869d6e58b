import type { FeaturePages } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';

const loadPages = () => import('./saved-search-pages.tsx');

export const SAVED_SEARCH_PAGES: FeaturePages = {
  '/confirm-search': lazyPage(loadPages, 'ConfirmSearchPage'),
  '/manage-search': lazyPage(loadPages, 'ManageSearchPage'),
};
