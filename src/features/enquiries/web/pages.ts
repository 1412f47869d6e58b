import type { FeaturePages } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';

const staffPages = () => import('./staff/staff-pages.ts');

export const ENQUIRY_PAGES: FeaturePages = {
  '/pets/$petId/enquire': lazyPage(() => import('./enquire-page.tsx'), 'EnquirePage'),
  '/enquiries': lazyPage(staffPages, 'EnquiriesPage'),
  '/enquiries/$enquiryId': lazyPage(staffPages, 'EnquiryPage'),
  '/admin/enquiries': lazyPage(() => import('./settings/enquiry-settings-page.tsx'), 'EnquirySettingsPage'),
};
