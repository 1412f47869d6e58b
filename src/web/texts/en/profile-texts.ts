import petPage from './pet-page.json';
import profile from './profile.json';

/** The English texts of profiles, and of the pages of one pet. */
export const texts = { petPage, profile };
