import type { MailReader } from '../../../domain/mail/ports.ts';
import { gauge } from '../../../server/metrics/families.ts';
import type { ServerFeature } from '../../../server/features/feature.ts';
import { pageQueryOf } from '../api/saved-search-queries.ts';
import { SavedSearches } from '../domain/saved-searches.ts';
import { SearchMail } from '../domain/search-mail.ts';
import { SavedSearchRoutes } from '../http/saved-search-routes.ts';
import { searchMessage } from '../mail/search-messages.ts';
import { mailNewMatches } from './match-mailing.ts';

export interface UseCases {
  savedSearches: SavedSearches;
}

/** Searches whose new matches are sent by e-mail. */
export const SAVED_SEARCHES: ServerFeature<UseCases> = {
  compose: (core) => ({ savedSearches: new SavedSearches({ ...core }) }),
  routesOf: (useCases) => new SavedSearchRoutes(useCases),
  mailOf({ stores, ...mailer }) {
    const searchMail = new SearchMail({ ...stores, ...mailer, pageQueryOf });
    const prepare = async (...mail: Parameters<SearchMail['contentOf']>) => {
      const content = await searchMail.contentOf(...mail);
      if (content === undefined) return undefined;
      const partsFor = (reader: MailReader) => searchMessage(content, reader);
      return content.kind === 'matches' ? { partsFor, oneClick: content.oneClick } : { partsFor };
    };
    return { 'search-confirmation': prepare, 'search-matches': prepare };
  },
  startWork: ({ bell, ...node }) => (bell === undefined ? undefined : { stop: mailNewMatches({ ...node, bell }) }),
  clear: {
    'saved searches': async ({ savedSearches }, nowMs, limit) =>
      (await savedSearches.apply({ kind: 'forget', nowMs, limit })).length,
  },
  async readMetrics({ savedSearches }) {
    const counts = await savedSearches.count();
    const byState = Object.entries(counts).map(([state, count]) => [{ state }, count] as const);
    return [gauge('menagerie_saved_searches', 'Searches whose new matches are sent by e-mail.', byState)];
  },
};
