/* One chunk for both pages: users go from one to the other, and every page loads the names of all chunks. */

export { EnquiriesPage } from './enquiries-page.tsx';
export { EnquiryPage } from './enquiry-page.tsx';
