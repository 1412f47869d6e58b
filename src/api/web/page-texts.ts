import { mayRole, type Bootstrap } from './bootstrap.ts';
import type { PagePath } from './page-addresses.ts';

/*
 * The texts of the web application have four parts: those of the pages that visitors open, which every page loads,
 * those of profiles and of the pages of one pet, those of the dashboard, and the others, three times as large as the
 * first.
 */

export type TextPart = 'profile' | 'dashboard' | 'others';

const ALL: readonly TextPart[] = ['profile', 'dashboard', 'others'];

const VISITOR_PAGES: ReadonlySet<string> = new Set<PagePath>(['/', '/pets/$petId', '/pets/$petId/card', '/dashboard']);

/**
 * The parts that a page needs beside the first. Users who may change something have more controls on the pages of
 * visitors.
 */
export function neededTexts(
  path: string | undefined,
  { currentUser, access }: Pick<Bootstrap, 'currentUser' | 'access'>,
): readonly TextPart[] {
  const mayChange = currentUser !== null || mayRole(undefined, 'write pets', access);
  if (mayChange || (path !== undefined && !VISITOR_PAGES.has(path))) return ALL;
  if (path === '/dashboard') return ['dashboard'];
  return path?.includes('petId') ? ['profile'] : [];
}
