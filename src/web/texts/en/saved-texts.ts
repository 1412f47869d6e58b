import { FEATURE_TEXTS } from '../../../features/texts/en.ts';
import favourites from './favourites.json';

export const texts = { favourites, ...FEATURE_TEXTS };
