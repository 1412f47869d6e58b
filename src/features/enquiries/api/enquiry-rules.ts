import { ENQUIRY_LIMITS, ENQUIRY_STATES, type EnquiryState } from '../domain/enquiry.ts';
import { VISIT_DAYS } from '../domain/visit-days.ts';
import { QUESTION_LIMITS, QUESTION_TYPES, RETENTION_DAYS } from '../domain/enquiry-settings.ts';
import { isMailAddress } from '../../../domain/mail/mail-address.ts';
import { textIn, type Search } from '../../../api/web/admin-addresses.ts';

/* The rules of enquiries that pages check as well, and the query parameters of the list. */

export { ENQUIRY_LIMITS, ENQUIRY_STATES, isMailAddress, QUESTION_LIMITS, QUESTION_TYPES, RETENTION_DAYS, VISIT_DAYS };
export type { EnquiryState };

export interface EnquirySearch {
  state?: EnquiryState;
  /** A user name, or `UNASSIGNED`. */
  assignee?: string;
  /** In digits. */
  petId?: string;
  text?: string;
}

/** The assignee of enquiries without one. User names have no slashes. */
export const UNASSIGNED = '/';

/** Invalid parameters are ignored. */
export function readEnquirySearch(search: Search): EnquirySearch {
  const petId = textIn(search, 'petId');
  const read = {
    state: ENQUIRY_STATES.find((each) => each === search['state']),
    assignee: textIn(search, 'assignee'),
    petId: petId !== undefined && /^\d{1,18}$/.test(petId) ? petId : undefined,
    text: textIn(search, 'text'),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}
