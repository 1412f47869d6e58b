import { ENQUIRY_VISITOR_PAGES } from './enquiries/api/visitor-pages.ts';

/** The pages of features that visitors open often, each with the parts of the texts that it needs. */
export const FEATURE_VISITOR_PAGES = { ...ENQUIRY_VISITOR_PAGES } as const;
