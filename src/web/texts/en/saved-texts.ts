import favourites from './favourites.json';

/** The English texts of what visitors save. */
export const texts = { favourites };
