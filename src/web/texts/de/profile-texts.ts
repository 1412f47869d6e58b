import petPage from './pet-page.json';
import profile from './profile.json';

/** The German texts of profiles, and of the pages of one pet. */
export const texts = { petPage, profile };
