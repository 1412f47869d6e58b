import type { PagePath } from '../../api/web/page-addresses.ts';
import type { WebBuild } from './web-build.ts';

/** The parts of the application that are loaded when they are needed, by the name of their source file, in whatever folder: a page begins with its own. */
export const FIRST_PIECES: Readonly<Record<PagePath, string>> = {
  '/': 'catalogue-page.tsx',
  '/pets/new': 'new-pet-page.tsx',
  '/pets/removed': 'removed-pets-page.tsx',
  '/pets/$petId': 'pet-page.tsx',
  '/pets/$petId/edit': 'edit-pet-page.tsx',
  '/pets/$petId/history': 'history-page.tsx',
  '/pets/$petId/card': 'kennel-card-page.tsx',
  '/dashboard': 'dashboard-page.tsx',
  '/login': 'login-page.tsx',
  '/sign-up': 'sign-up-page.tsx',
  '/reset-password': 'reset-password-page.tsx',
  '/account': 'account-page.tsx',
  '/admin/users': 'users-page.tsx',
  '/admin/users/$username': 'user-page.tsx',
  '/admin/audit': 'audit-page.tsx',
};

/** English is in the application itself. */
export const LANGUAGE_PIECES: Readonly<Record<string, string>> = { de: 'texts/de/texts.ts' };

/** The paths of the scripts that these parts need, each once, without those that the page loads anyway. */
export function preloadsOf(
  { pieces, html }: Pick<WebBuild, 'pieces' | 'html'>,
  sources: readonly string[],
): readonly string[] {
  const wanted = [...withImports(pieces, namesOf(pieces, sources))].flatMap((name) => pieces[name] ?? []);
  const paths = new Set(wanted.map(({ file }) => `/${file}`));
  return [...paths].filter((path) => !html.includes(`"${path}"`));
}

/** As the manifest has them: with the folder. */
function namesOf(pieces: WebBuild['pieces'], sources: readonly string[]): readonly string[] {
  return Object.keys(pieces).filter((name) => sources.some((source) => name === source || name.endsWith(`/${source}`)));
}

function withImports(pieces: WebBuild['pieces'], names: readonly string[]): Set<string> {
  const met = new Set(names);
  // What is added to a set while it is gone through is met as well.
  for (const name of met) for (const imported of pieces[name]?.imports ?? []) met.add(imported);
  return met;
}
