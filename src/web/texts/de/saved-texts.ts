import enquire from './enquire.json';
import favourites from './favourites.json';

/** The German texts of what visitors save and send. */
export const texts = { enquire, favourites };
