import profile from './profile.json';

/** The German texts of profiles of pets. */
export const texts = { profile };
