/* The words of this feature that tables of the core contain. */

/** The source file of each page. */
export const PAGES = {
  '/pets/$petId/enquire': 'enquire-page.tsx',
  '/enquiries': 'staff-pages.ts',
  '/enquiries/$enquiryId': 'staff-pages.ts',
  '/admin/enquiries': 'enquiry-settings-page.tsx',
} as const;
