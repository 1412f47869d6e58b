import * as savedSearches from './saved-searches/names.ts';

export const FEATURE_GROUPS = { ...savedSearches.GROUPS } as const;

export const FEATURE_AUDIT_ACTIONS = [...savedSearches.AUDIT_ACTIONS] as const;

export const FEATURE_JOB_NAMES = [...savedSearches.JOB_NAMES] as const;

export const FEATURE_MAIL_KINDS = { ...savedSearches.MAIL_KINDS } as const;

/** The kinds that requests cause. */
export const FEATURE_MAIL_LIMITS = { ...savedSearches.MAIL_LIMITS } as const;

export const FEATURE_PAGES = { ...savedSearches.PAGES } as const;
