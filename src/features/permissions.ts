/** The permissions of features with their rules. Not with the names, which are too many for pages of visitors. */
export const FEATURE_PERMISSIONS = {} as const;
