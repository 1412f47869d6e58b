import profile from './profile.json';

/** The English texts of profiles of pets. */
export const texts = { profile };
