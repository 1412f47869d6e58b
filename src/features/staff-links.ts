import { ENQUIRIES_LINK } from './enquiries/web/staff-link.ts';

/** Not with the parts: every page loads the links, and few pages load the parts. */
export const FEATURE_LINKS = [ENQUIRIES_LINK] as const;
