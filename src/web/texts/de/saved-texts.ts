import { FEATURE_TEXTS } from '../../../features/texts/de.ts';
import enquire from './enquire.json';
import favourites from './favourites.json';

export const texts = { enquire, favourites, ...FEATURE_TEXTS };
