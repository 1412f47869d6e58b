import { AGENTS } from './agents/server/agents.ts';
import { EMBEDDING } from './embedding/server/embedding.ts';
import { ENQUIRIES } from './enquiries/server/enquiries.ts';
import { LISTINGS } from './listings/server/listings.ts';
import { SAVED_SEARCHES } from './saved-searches/server/saved-searches.ts';
import { WEBHOOKS } from './webhooks/server/webhooks.ts';

export const FEATURES = [AGENTS, EMBEDDING, ENQUIRIES, LISTINGS, SAVED_SEARCHES, WEBHOOKS] as const;
