import type { Language } from '../../api/web/languages.ts';
import type { PagePath } from '../../api/web/page-addresses.ts';
import type { TextPart } from '../../api/web/page-texts.ts';
import type { WebBuild } from './web-build.ts';

/** The lazily loaded chunk of each page, by the name of its source file without folder. */
export const PAGE_CHUNKS: Readonly<Record<PagePath, string>> = {
  '/': 'catalogue-page.tsx',
  '/pets/new': 'new-pet-page.tsx',
  '/pets/deleted': 'deleted-pets-page.tsx',
  '/pets/transfer': 'transfer-page.tsx',
  '/pets/$petId': 'pet-page.tsx',
  '/pets/$petId/edit': 'edit-pet-page.tsx',
  '/pets/$petId/history': 'history-page.tsx',
  '/pets/$petId/card': 'kennel-card-page.tsx',
  '/pets/$petId/enquire': 'enquire-page.tsx',
  '/dashboard': 'dashboard-page.tsx',
  '/about': 'about-page.tsx',
  '/favourites': 'favourites-page.tsx',
  '/login': 'login-page.tsx',
  '/sign-up': 'sign-up-page.tsx',
  '/reset-password': 'reset-password-page.tsx',
  '/confirm-email': 'confirm-email-page.tsx',
  '/confirm-search': 'saved-search-pages.tsx',
  '/manage-search': 'saved-search-pages.tsx',
  '/setup': 'setup-page.tsx',
  '/account': 'account-page.tsx',
  '/playground': 'playground-page.tsx',
  '/oauth/authorize': 'authorize-page.tsx',
  '/requests': 'requests-page.tsx',
  '/enquiries': 'staff-pages.ts',
  '/enquiries/$enquiryId': 'staff-pages.ts',
  '/admin/organisation': 'organisation-page.tsx',
  '/admin/enquiries': 'enquiry-settings-page.tsx',
  '/admin/users': 'users-page.tsx',
  '/admin/users/$username': 'user-page.tsx',
  '/admin/audit': 'audit-page.tsx',
  '/admin/health': 'health-page.tsx',
  '/admin/backups': 'backups-page.tsx',
  '/admin/system': 'system-page.tsx',
  '/admin/embedding': 'embedding-page.tsx',
  '/admin/listings': 'listings-page.tsx',
  '/admin/listings/$site': 'listing-page.tsx',
  '/admin/webhooks': 'webhooks-page.tsx',
  '/admin/webhooks/$webhookId': 'webhook-page.tsx',
  '/admin/programs': 'programs-page.tsx',
};

const TEXT_CHUNKS: Readonly<Record<TextPart, string>> = {
  profile: 'profile-texts.ts',
  dashboard: 'dashboard-texts.ts',
  saved: 'saved-texts.ts',
  others: 'other-texts.ts',
};

const WORD_CHUNKS: Readonly<Record<Language, readonly string[]>> = { en: [], de: ['words/german-words.ts'] };

/** The chunks with the texts and words of a language. */
export function textChunks(language: Language, parts: readonly TextPart[]): readonly string[] {
  const texts = ['texts.ts', ...parts.map((part) => TEXT_CHUNKS[part])].map((name) => `texts/${language}/${name}`);
  return [...texts, ...WORD_CHUNKS[language]];
}

/** The paths of the scripts that these chunks need, without duplicates and without those that the page loads anyway. */
export function preloadsOf(
  { chunks, html, basePath }: Pick<WebBuild, 'chunks' | 'html' | 'basePath'>,
  sources: readonly string[],
): readonly string[] {
  const wanted = [...withImports(chunks, namesOf(chunks, sources))].flatMap((name) => chunks[name] ?? []);
  const paths = new Set(wanted.map(({ file }) => `${basePath}/${file}`));
  return [...paths].filter((path) => !html.includes(`"${path}"`));
}

/** The names in the manifest, which include the folder. */
function namesOf(chunks: WebBuild['chunks'], sources: readonly string[]): readonly string[] {
  return Object.keys(chunks).filter((name) => sources.some((source) => name === source || name.endsWith(`/${source}`)));
}

function withImports(chunks: WebBuild['chunks'], names: readonly string[]): Set<string> {
  const all = new Set(names);
  // Iterating a set also visits elements that are added meanwhile.
  for (const name of all) for (const imported of chunks[name]?.imports ?? []) all.add(imported);
  return all;
}
