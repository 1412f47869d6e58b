import { EMBEDDING } from './embedding/server/embedding.ts';
import { SAVED_SEARCHES } from './saved-searches/server/saved-searches.ts';

export const FEATURES = [EMBEDDING, SAVED_SEARCHES] as const;
