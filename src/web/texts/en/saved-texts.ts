import enquire from './enquire.json';
import favourites from './favourites.json';
import savedSearches from './saved-searches.json';

/** The English texts of what visitors save and send. */
export const texts = { enquire, favourites, savedSearches };
