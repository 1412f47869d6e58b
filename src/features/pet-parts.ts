import { EnquiryLink } from './enquiries/web/enquiry-link.tsx';

/** What features show with the facts of a pet that looks for a home, also in the first view. */
export const PET_PARTS = [EnquiryLink] as const;
