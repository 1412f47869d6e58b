import * as agents from './agents/names.ts';
import * as embedding from './embedding/names.ts';
import * as enquiries from './enquiries/names.ts';
import * as savedSearches from './saved-searches/names.ts';

export const FEATURE_GROUPS = { ...enquiries.GROUPS, ...savedSearches.GROUPS } as const;

export const FEATURE_AUDIT_ACTIONS = [
  ...embedding.AUDIT_ACTIONS,
  ...enquiries.AUDIT_ACTIONS,
  ...savedSearches.AUDIT_ACTIONS,
] as const;

/** The kinds of objects of actions. */
export const FEATURE_SUBJECT_KINDS = [...enquiries.SUBJECT_KINDS] as const;

export const FEATURE_JOB_NAMES = [...savedSearches.JOB_NAMES] as const;

export const FEATURE_MAIL_KINDS = { ...enquiries.MAIL_KINDS, ...savedSearches.MAIL_KINDS } as const;

/** The kinds that requests cause. */
export const FEATURE_MAIL_LIMITS = { ...enquiries.MAIL_LIMITS, ...savedSearches.MAIL_LIMITS } as const;

export const FEATURE_PAGES = { ...embedding.PAGES, ...enquiries.PAGES, ...savedSearches.PAGES } as const;

/** The beginnings of paths that are no pages of the web application. */
export const FEATURE_SERVICE_SEGMENTS = [
  ...agents.SERVICE_SEGMENTS,
  ...embedding.SERVICE_SEGMENTS,
  ...savedSearches.SERVICE_SEGMENTS,
] as const;

/** Kinds of records of which a site has one each. */
export const FEATURE_SITE_RECORDS = [...embedding.SITE_RECORDS, ...enquiries.SITE_RECORDS] as const;

/** Problems of rows that matter if the service sends e-mail, as in `domain/health/database-problems.ts`. */
export const FEATURE_PROBLEMS_WITH_MAIL = { ...enquiries.PROBLEMS_WITH_MAIL } as const;

/** Those that matter if it sends none. */
export const FEATURE_PROBLEMS_WITHOUT_MAIL = { ...enquiries.PROBLEMS_WITHOUT_MAIL } as const;

/** Routes that are no operations, in metrics. */
export const FEATURE_ROUTE_NAMES = [...agents.ROUTE_NAMES] as const;

/** Each has one of a few values. */
export const FEATURE_SETTINGS = [...agents.SETTINGS] as const;

/** The values of services for tests, unless the feature is off. */
export const FEATURE_SETTINGS_IN_TESTS = { ...agents.SETTINGS_IN_TESTS } as const;
