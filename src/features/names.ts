import * as agents from './agents/names.ts';
import * as embedding from './embedding/names.ts';
import * as enquiries from './enquiries/names.ts';
import * as listings from './listings/names.ts';
import * as savedSearches from './saved-searches/names.ts';
import * as webhooks from './webhooks/names.ts';

export const FEATURE_GROUPS = {
  ...enquiries.GROUPS,
  ...listings.GROUPS,
  ...savedSearches.GROUPS,
  ...webhooks.GROUPS,
} as const;

export const FEATURE_AUDIT_ACTIONS = [
  ...embedding.AUDIT_ACTIONS,
  ...enquiries.AUDIT_ACTIONS,
  ...listings.AUDIT_ACTIONS,
  ...savedSearches.AUDIT_ACTIONS,
  ...webhooks.AUDIT_ACTIONS,
] as const;

/** The kinds of objects of audited actions. */
export const FEATURE_SUBJECT_KINDS = [...enquiries.SUBJECT_KINDS, ...webhooks.SUBJECT_KINDS] as const;

/** Names that the service has renamed, with their stored form. */
export const FEATURE_STORED_NAMES = [...webhooks.STORED_NAMES] as const;

export const FEATURE_JOB_NAMES = [...listings.JOB_NAMES, ...savedSearches.JOB_NAMES, ...webhooks.JOB_NAMES] as const;

export const FEATURE_MAIL_KINDS = {
  ...enquiries.MAIL_KINDS,
  ...listings.MAIL_KINDS,
  ...savedSearches.MAIL_KINDS,
} as const;

/** The kinds that requests cause. */
export const FEATURE_MAIL_LIMITS = { ...enquiries.MAIL_LIMITS, ...savedSearches.MAIL_LIMITS } as const;

export const FEATURE_PAGES = {
  ...embedding.PAGES,
  ...enquiries.PAGES,
  ...listings.PAGES,
  ...savedSearches.PAGES,
  ...webhooks.PAGES,
} as const;

/** The beginnings of paths that are no pages of the web application. */
export const FEATURE_SERVICE_SEGMENTS = [
  ...agents.SERVICE_SEGMENTS,
  ...embedding.SERVICE_SEGMENTS,
  ...savedSearches.SERVICE_SEGMENTS,
] as const;

/** Kinds of records of which a site has one each. */
export const FEATURE_SITE_RECORDS = [...embedding.SITE_RECORDS, ...enquiries.SITE_RECORDS] as const;

/** Checks of the doctor, each with the problems of rows that it finds. */
export const FEATURE_CHECKS = { ...listings.CHECKS, ...webhooks.CHECKS } as const;

/** Those problems, as in `domain/health/database-problems.ts`. */
export const FEATURE_PROBLEMS = { ...listings.PROBLEMS, ...webhooks.PROBLEMS } as const;

/** Problems of rows that matter if the service sends e-mail. */
export const FEATURE_PROBLEMS_WITH_MAIL = { ...enquiries.PROBLEMS_WITH_MAIL } as const;

/** Those that matter if it sends none. */
export const FEATURE_PROBLEMS_WITHOUT_MAIL = { ...enquiries.PROBLEMS_WITHOUT_MAIL } as const;

/** Routes that are no operations, in metrics. */
export const FEATURE_ROUTE_NAMES = [...agents.ROUTE_NAMES] as const;

/** The maximum numbers of records in a playground. */
export const FEATURE_PLAYGROUND_LIMITS = { ...webhooks.PLAYGROUND_LIMITS } as const;

/** Each has one of a few values, is a switch, or has a rule in `settings.ts`. */
export const FEATURE_SETTINGS = [...agents.SETTINGS, ...listings.SETTINGS, ...webhooks.SETTINGS] as const;

/** Values that suit every installation, and therefore have no flag. Tests pass others. */
export const FEATURE_FIXED_SETTINGS = { ...webhooks.FIXED_SETTINGS };

/** The values of services for tests, unless the feature is off. */
export const FEATURE_SETTINGS_IN_TESTS = { ...agents.SETTINGS_IN_TESTS } as const;

/** The values of a service in the process of a test. */
export const FEATURE_SETTINGS_IN_PROCESS = { ...FEATURE_SETTINGS_IN_TESTS, ...webhooks.SETTINGS_IN_PROCESS } as const;
