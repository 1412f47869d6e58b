import { FEATURE_TEXTS } from '../../../features/texts/de.ts';
import favourites from './favourites.json';

export const texts = { favourites, ...FEATURE_TEXTS };
