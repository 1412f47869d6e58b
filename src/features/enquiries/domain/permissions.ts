/** Never free, and without API keys: enquiries are personal data. */
export const ENQUIRY_PERMISSIONS = { 'handle enquiries': { free: false, roles: ['editor', 'admin'] } } as const;
