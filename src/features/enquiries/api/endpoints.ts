import { endpoint, OF_ADMIN, STREAMS } from '../../../api/endpoint.ts';

const OF_STAFF = { permission: 'handle enquiries', isPrivate: true } as const;

/** Texts of visitors are kept with the enquiry only. */
const ENQUIRIES = { ...OF_STAFF, isPersonal: true } as const;

export const ENQUIRY_ENDPOINTS = {
  // The token of a form is that of one client.
  getEnquiryForm: endpoint('GET', 'pet/{petId}/enquiry-form', 'none', { isPrivate: true }),
  sendEnquiry: endpoint('POST', 'pet/{petId}/enquiries', 'json', { isPersonal: true }),
  getEnquirySettings: endpoint('GET', 'enquiry-settings', 'none', OF_STAFF),
  updateEnquirySettings: endpoint('PUT', 'enquiry-settings', 'json', { ...OF_ADMIN, isPrivate: true }),
  listEnquiries: endpoint('GET', 'enquiries', 'none', ENQUIRIES),
  exportEnquiries: endpoint('GET', 'export/enquiries', 'none', { ...ENQUIRIES, ...STREAMS, response: 'file' }),
  getEnquiryOverview: endpoint('GET', 'enquiries/overview', 'none', OF_STAFF),
  getEnquiry: endpoint('GET', 'enquiries/{enquiryId}', 'none', ENQUIRIES),
  updateEnquiry: endpoint('PATCH', 'enquiries/{enquiryId}', 'merge-patch', ENQUIRIES),
  addEnquiryNote: endpoint('POST', 'enquiries/{enquiryId}/notes', 'json', ENQUIRIES),
  answerEnquiry: endpoint('POST', 'enquiries/{enquiryId}/answers', 'json', ENQUIRIES),
  deleteEnquiry: endpoint('DELETE', 'enquiries/{enquiryId}', 'none', ENQUIRIES),
  // The address is in the body: logs of proxies have URLs. Saved searches are erased alike.
  eraseEnquiries: endpoint('POST', 'enquiries/erase', 'json', ENQUIRIES),
} as const;
