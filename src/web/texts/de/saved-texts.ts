import enquire from './enquire.json';
import favourites from './favourites.json';
import savedSearches from './saved-searches.json';

export const texts = { enquire, favourites, savedSearches };
