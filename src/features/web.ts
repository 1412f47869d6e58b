import { SAVED_SEARCHES } from './saved-searches/web/saved-searches.ts';

export const FEATURES = [SAVED_SEARCHES] as const;
