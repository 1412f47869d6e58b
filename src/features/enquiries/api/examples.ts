import type { Examples } from '../../../api/documents/examples/example.ts';

const QUESTION = {
  id: 'garden',
  text: { en: 'Do you have a garden?', de: 'Haben Sie einen Garten?' },
  type: 'yes-no',
  required: false,
};
const SETTINGS = { enabled: true, recipient: 'office@example.org', retentionDays: 180, questions: [QUESTION] };

export const ENQUIRY_EXAMPLES = {
  updateEnquirySettings: { body: SETTINGS, response: { ...SETTINGS, language: 'en', sendsTo: null } },
  getEnquirySettings: { response: { ...SETTINGS, language: 'en', sendsTo: null } },
  getEnquiryForm: {
    parameters: { petId: 1 },
    response: {
      isOpen: true,
      token: '1795780800000.3f0c9a1be27d4c5d8e6f7a80.dpA0YvQOf7cqCjjDSMKJoXQ5wIyKHE3eZ1x2c3v4b5n',
      expiresAt: '2026-11-27T12:00:00.000Z',
      minSeconds: 3,
      retentionDays: 180,
      questions: [QUESTION],
    },
  },
  listEnquiries: { parameters: { state: 'new', limit: 10 } },
  getEnquiryOverview: { response: { newEnquiries: 0, staff: ['root'] } },
  exportEnquiries: { parameters: { format: 'csv' } },
  eraseEnquiries: { body: { email: 'ada@example.org' }, response: { erased: 0 } },
} as const satisfies Examples;
