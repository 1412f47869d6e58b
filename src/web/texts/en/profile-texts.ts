import petPage from './pet-page.json';
import profile from './profile.json';

export const texts = { petPage, profile };
