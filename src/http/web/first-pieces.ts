import type { PagePath } from '../../contract/web/page-addresses.ts';
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

/** What a page loads before it is asked to. */
export interface Preloads {
  scripts: readonly string[];
  styles: readonly string[];
}

/** All that these parts consist of, each once, but for what the page names by itself. What is no part of its own is passed over. */
export function preloadsOf({ pieces, html }: Pick<WebBuild, 'pieces' | 'html'>, sources: readonly string[]): Preloads {
  const wanted = [...withImports(pieces, namesOf(pieces, sources))].flatMap((name) => pieces[name] ?? []);
  const lacking = (files: readonly string[]) =>
    [...new Set(files.map((file) => `/${file}`))].filter((path) => !html.includes(`"${path}"`));
  return { scripts: lacking(wanted.map(({ file }) => file)), styles: lacking(wanted.flatMap(({ css = [] }) => css)) };
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
