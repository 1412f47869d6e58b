import { FEATURE_PAGES } from '../features/names.ts';

/**
 * The pages of the web application, each with the source file of its lazily loaded chunk, without folder. The service
 * responds to each of these addresses with the application, and to other ones with "not found". Parameters have a
 * dollar sign, as in the router of the application.
 */
export const PAGES = {
  '/': 'catalogue-page.tsx',
  '/pets/new': 'new-pet-page.tsx',
  '/pets/deleted': 'deleted-pets-page.tsx',
  '/pets/transfer': 'transfer-page.tsx',
  '/pets/$petId': 'pet-page.tsx',
  '/pets/$petId/edit': 'edit-pet-page.tsx',
  '/pets/$petId/history': 'history-page.tsx',
  '/pets/$petId/card': 'kennel-card-page.tsx',
  '/dashboard': 'dashboard-page.tsx',
  '/about': 'about-page.tsx',
  '/favourites': 'favourites-page.tsx',
  '/login': 'login-page.tsx',
  '/sign-up': 'sign-up-page.tsx',
  '/reset-password': 'reset-password-page.tsx',
  '/confirm-email': 'confirm-email-page.tsx',
  '/setup': 'setup-page.tsx',
  '/account': 'account-page.tsx',
  '/playground': 'playground-page.tsx',
  '/oauth/authorize': 'authorize-page.tsx',
  '/requests': 'requests-page.tsx',
  '/admin/organisation': 'organisation-page.tsx',
  '/admin/own-fields': 'own-fields-page.tsx',
  '/admin/users': 'users-page.tsx',
  '/admin/users/$username': 'user-page.tsx',
  '/admin/audit': 'audit-page.tsx',
  '/admin/health': 'health-page.tsx',
  '/admin/backups': 'backups-page.tsx',
  '/admin/mail': 'mail-page.tsx',
  '/admin/system': 'system-page.tsx',
  '/admin/programs': 'programs-page.tsx',
  ...FEATURE_PAGES,
} as const;

export type PagePath = keyof typeof PAGES;

export const PAGE_PATHS = Object.keys(PAGES) as readonly PagePath[];
