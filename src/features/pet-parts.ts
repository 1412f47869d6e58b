import { EnquiryLink } from './enquiries/web/enquiry-link.tsx';

/** The parts of features beside the facts of a pet that looks for a home. They are in the first view as well. */
export const PET_PARTS = [EnquiryLink] as const;
