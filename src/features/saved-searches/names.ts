/* The words of this feature that tables of the core contain. */

export const GROUPS = { 'saved-searches': 'Searches whose new matches are sent by e-mail' } as const;

export const AUDIT_ACTIONS = ['saved-search.erased'] as const;

export const JOB_NAMES = ['saved-searches'] as const;

export const MAIL_KINDS = {
  /** To the address of a search that is to be saved: a link that confirms it. `details.query` is the search. */
  'search-confirmation': 'everyone',
  /** New matches of a saved search. `details.pets` has their IDs, and `details.more` the number of others. */
  'search-matches': 'everyone',
} as const;

/** As in `domain/accounts/mail-limits.ts`. */
export const MAIL_LIMITS = { 'search-confirmation': { isHidden: true } } as const;

/** The source file of each page. */
export const PAGES = {
  '/confirm-search': 'saved-search-pages.tsx',
  '/manage-search': 'saved-search-pages.tsx',
} as const;

/** The beginning of the URL with which mail programs stop a search. */
export const SERVICE_SEGMENTS = ['stop-search'] as const;
