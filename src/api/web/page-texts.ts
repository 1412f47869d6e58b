import { FEATURE_VISITOR_PAGES } from '../../features/visitor-pages.ts';
import { mayRole, type Bootstrap } from './bootstrap.ts';
import type { PagePath } from '../pages.ts';

/*
 * The texts of the web application have five parts: those of the pages that visitors open, which every page loads,
 * those of profiles and of the pages of one pet, those of the dashboard, those of what visitors save and send, and the
 * others, three times as large as the first.
 */

export type TextPart = 'profile' | 'dashboard' | 'saved' | 'others';

const ALL: readonly TextPart[] = ['profile', 'dashboard', 'saved', 'others'];

const VISITOR_PAGES: Readonly<Partial<Record<string, readonly TextPart[]>>> = {
  '/': [],
  '/pets/$petId': ['profile'],
  '/pets/$petId/card': ['profile'],
  '/dashboard': ['dashboard'],
  '/favourites': ['profile', 'saved'],
  ...FEATURE_VISITOR_PAGES,
} satisfies Partial<Record<PagePath, readonly TextPart[]>>;

/**
 * The parts that a page needs beside the first. Users who may change something have more controls on the pages of
 * visitors.
 */
export function neededTexts(
  path: string | undefined,
  { currentUser, access }: Pick<Bootstrap, 'currentUser' | 'access'>,
): readonly TextPart[] {
  const mayChange = currentUser !== null || mayRole(undefined, 'write pets', access);
  if (mayChange) return ALL;
  return path === undefined ? [] : (VISITOR_PAGES[path] ?? ALL);
}
