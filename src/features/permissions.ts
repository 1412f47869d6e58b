import { ENQUIRY_PERMISSIONS } from './enquiries/domain/permissions.ts';

/** The permissions of features with their rules. Not with the names, which are too many for pages of visitors. */
export const FEATURE_PERMISSIONS = { ...ENQUIRY_PERMISSIONS } as const;
