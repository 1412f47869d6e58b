import favourites from './favourites.json';

/** The German texts of what visitors save. */
export const texts = { favourites };
