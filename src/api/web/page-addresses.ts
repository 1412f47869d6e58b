/*
 * The addresses of the web application. The service answers each of them with the application, and every other one with "not found".
 */

/** Parameters with a dollar sign, as the router of the application has them. */
export const PAGE_PATHS = [
  '/',
  '/pets/new',
  '/pets/removed',
  '/pets/$petId',
  '/pets/$petId/edit',
  '/pets/$petId/history',
  '/pets/$petId/card',
  '/dashboard',
  '/login',
  '/sign-up',
  '/reset-password',
  '/account',
  '/admin/users',
  '/admin/users/$username',
  '/admin/audit',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];
