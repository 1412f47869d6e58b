import { FEED_END, feedBegin, listedPetText } from '../api/listing-feed.ts';
import { importConfig } from '../domain/adoptapet.ts';
import type { Listed } from '../domain/listing-feeds.ts';
import type { ListingFile } from '../domain/listing-files.ts';
import type { SiteId } from '../domain/listing-site.ts';
import { LISTING_SITES } from '../domain/listing-sites.ts';
import { quotedCsvText } from '../../../transfer/csv.ts';

/* The files that listing sites read. All are UTF-8 without a byte order mark. */

export const LISTING_TYPES: Readonly<Record<ListingFile, string>> = {
  'pets.csv': 'text/csv; charset=utf-8',
  'import.cfg': 'text/plain; charset=utf-8',
  'pets.json': 'application/json',
};

/** Whether the table of a site begins with the names of its columns. */
const WITH_HEADER: readonly SiteId[] = ['petfinder', 'rescuegroups'];

/** The text of a file, in parts. Without pets, it is empty except for the header that the site expects. */
export async function* listingTexts(
  site: SiteId,
  file: ListingFile,
  { organisation, pets }: Listed,
): AsyncGenerator<string> {
  if (file === 'import.cfg') yield importConfig();
  else if (file === 'pets.json') {
    yield feedBegin(organisation);
    let between = '';
    for await (const some of pets) {
      if (some.length === 0) continue;
      yield between + some.map(({ pet }) => listedPetText(pet)).join();
      between = ',';
    }
    yield FEED_END;
  } else {
    if (WITH_HEADER.includes(site)) yield quotedCsvText([LISTING_SITES[site].columns]);
    for await (const some of pets) yield quotedCsvText(some.map(({ cells }) => cells));
  }
}
