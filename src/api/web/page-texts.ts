import { mayRole, type Bootstrap } from './bootstrap.ts';
import type { PagePath } from './page-addresses.ts';

/*
 * The texts of the web application have two parts: those of the pages that visitors open, and the others, three times
 * as large.
 */

const VISITOR_PAGES: ReadonlySet<string> = new Set<PagePath>(['/', '/pets/$petId', '/pets/$petId/card', '/dashboard']);

/** Whether a page needs both parts. Users who may change something have more controls on the pages of visitors. */
export function needsAllTexts(
  path: string | undefined,
  { currentUser, access }: Pick<Bootstrap, 'currentUser' | 'access'>,
): boolean {
  if (currentUser !== null || mayRole(undefined, 'write pets', access)) return true;
  return path !== undefined && !VISITOR_PAGES.has(path);
}
