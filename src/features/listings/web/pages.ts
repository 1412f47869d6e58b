import type { FeaturePages } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';

export const LISTING_PAGES: FeaturePages = {
  '/admin/listings': lazyPage(() => import('./listings-page.tsx'), 'ListingsPage'),
  '/admin/listings/$site': lazyPage(() => import('./listing-page.tsx'), 'ListingPage'),
};
