import { PET_TEXTS } from '../../../features/texts/pets-de.ts';
import { merged } from '../../features/merged-texts.ts';
import petPage from './pet-page.json';
import profile from './profile.json';

export const texts = merged({ petPage, profile }, ...PET_TEXTS);
