/*
 * The addresses of the web application. The service responds to each of them with the application, and to other ones
 * with "not found".
 */

/** Parameters with a dollar sign, as the router of the application has them. */
export const PAGE_PATHS = [
  '/',
  '/pets/new',
  '/pets/deleted',
  '/pets/transfer',
  '/pets/$petId',
  '/pets/$petId/edit',
  '/pets/$petId/history',
  '/pets/$petId/card',
  '/pets/$petId/enquire',
  '/dashboard',
  '/about',
  '/favourites',
  '/login',
  '/sign-up',
  '/reset-password',
  '/confirm-email',
  '/confirm-search',
  '/manage-search',
  '/setup',
  '/account',
  '/playground',
  '/oauth/authorize',
  '/requests',
  '/enquiries',
  '/enquiries/$enquiryId',
  '/admin/organisation',
  '/admin/enquiries',
  '/admin/users',
  '/admin/users/$username',
  '/admin/audit',
  '/admin/health',
  '/admin/backups',
  '/admin/system',
  '/admin/embedding',
  '/admin/listings',
  '/admin/listings/$site',
  '/admin/webhooks',
  '/admin/webhooks/$webhookId',
  '/admin/programs',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];

/** A base for resolving paths; it does not exist. */
const BASE = 'http://here.invalid';

/**
 * Returns the path of this site to open after a login, from an address such as `/login?to=/pets/1`. Undefined for
 * anything else: a link must not use our login to redirect to another site.
 */
export function readReturnAddress(to: unknown): string | undefined {
  if (typeof to !== 'string' || !/^\/(?![/\\])/.test(to)) return undefined;
  // Browsers ignore tabs and line ends: the rest may name another site.
  if (!URL.canParse(to, BASE)) return undefined;
  const url = new URL(to, BASE);
  // `/.//evil.example` resolves to a path with two slashes, which names another site when it is resolved again.
  if (url.origin !== BASE || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
