import { bootstrap } from '../../../web/service/bootstrap.ts';
import { extraPart } from '../../../web/service/browser.ts';
import type { WebParts } from '../../../web/features/web-feature.ts';
import { requireTexts } from '../../../web/texts/loaded-texts.ts';

const MailMatches = extraPart(async () => {
  const [parts] = await Promise.all([import('./mail-matches.tsx'), requireTexts(['saved'])]);
  return parts.MailMatches;
});

export const SAVED_SEARCH_PARTS: WebParts = {
  ...(bootstrap.mail && { BesideResults: MailMatches }),
  loadRecords: () => import('./searches-of-person.ts'),
};
