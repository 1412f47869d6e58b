import { SAVED_SEARCHES } from './saved-searches/server/saved-searches.ts';

export const FEATURES = [SAVED_SEARCHES] as const;
