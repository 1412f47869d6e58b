import { bootstrap } from '../../../web/service/bootstrap.ts';
import { extraPart } from '../../../web/service/browser.ts';
import type { WebFeature } from '../../../web/features/web-feature.ts';
import { lazyPage } from '../../../web/routing/chunk-errors.ts';
import { requireTexts } from '../../../web/texts/loaded-texts.ts';

const loadPages = () => import('./saved-search-pages.tsx');

const MailMatches = extraPart(async () => {
  const [parts] = await Promise.all([import('./mail-matches.tsx'), requireTexts(['saved'])]);
  return parts.MailMatches;
});

export const SAVED_SEARCHES: WebFeature = {
  pages: {
    '/confirm-search': lazyPage(loadPages, 'ConfirmSearchPage'),
    '/manage-search': lazyPage(loadPages, 'ManageSearchPage'),
  },
  ...(bootstrap.mail && { BesideResults: MailMatches }),
  loadRecords: () => import('./searches-of-person.ts'),
};
