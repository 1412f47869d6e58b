import { store } from '../../../storage/rows/stores/store-entry.ts';
import type { EnquiryStore } from '../domain/ports.ts';
import { SqlEnquiryStore } from './enquiry-store.ts';
import { applyEnquiryChange } from './enquiry-writes.ts';

export const ENQUIRY_STORES = {
  enquiries: store((deps): EnquiryStore => new SqlEnquiryStore(deps), applyEnquiryChange),
};
