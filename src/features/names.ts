import * as agents from './agents/names.ts';
import * as embedding from './embedding/names.ts';
import * as enquiries from './enquiries/names.ts';
import * as savedSearches from './saved-searches/names.ts';

export const FEATURE_GROUPS = { ...savedSearches.GROUPS } as const;

export const FEATURE_AUDIT_ACTIONS = [...embedding.AUDIT_ACTIONS, ...savedSearches.AUDIT_ACTIONS] as const;

export const FEATURE_JOB_NAMES = [...savedSearches.JOB_NAMES] as const;

export const FEATURE_MAIL_KINDS = { ...savedSearches.MAIL_KINDS } as const;

/** The kinds that requests cause. */
export const FEATURE_MAIL_LIMITS = { ...savedSearches.MAIL_LIMITS } as const;

export const FEATURE_PAGES = { ...embedding.PAGES, ...enquiries.PAGES, ...savedSearches.PAGES } as const;

/** The beginnings of paths that are no pages of the web application. */
export const FEATURE_SERVICE_SEGMENTS = [
  ...agents.SERVICE_SEGMENTS,
  ...embedding.SERVICE_SEGMENTS,
  ...savedSearches.SERVICE_SEGMENTS,
] as const;

/** Kinds of records of which a site has one each. */
export const FEATURE_SITE_RECORDS = [...embedding.SITE_RECORDS] as const;

/** Routes that are no operations, in metrics. */
export const FEATURE_ROUTE_NAMES = [...agents.ROUTE_NAMES] as const;

/** Each has one of a few values. */
export const FEATURE_SETTINGS = [...agents.SETTINGS] as const;

/** The values of services for tests, unless the feature is off. */
export const FEATURE_SETTINGS_IN_TESTS = { ...agents.SETTINGS_IN_TESTS } as const;
