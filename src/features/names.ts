import * as embedding from './embedding/names.ts';
import * as savedSearches from './saved-searches/names.ts';

export const FEATURE_GROUPS = { ...savedSearches.GROUPS } as const;

export const FEATURE_AUDIT_ACTIONS = [...embedding.AUDIT_ACTIONS, ...savedSearches.AUDIT_ACTIONS] as const;

export const FEATURE_JOB_NAMES = [...savedSearches.JOB_NAMES] as const;

export const FEATURE_MAIL_KINDS = { ...savedSearches.MAIL_KINDS } as const;

/** The kinds that requests cause. */
export const FEATURE_MAIL_LIMITS = { ...savedSearches.MAIL_LIMITS } as const;

export const FEATURE_PAGES = { ...embedding.PAGES, ...savedSearches.PAGES } as const;

/** The beginnings of paths that are no pages of the web application. */
export const FEATURE_SERVICE_SEGMENTS = [...embedding.SERVICE_SEGMENTS] as const;

/** Kinds of records of which a site has one each. */
export const FEATURE_SITE_RECORDS = [...embedding.SITE_RECORDS] as const;
