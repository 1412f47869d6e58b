import { EMBEDDING_TAB } from './embedding/web/admin-tab.ts';
import { ENQUIRIES_TAB } from './enquiries/web/admin-tab.ts';
import { LISTINGS_TAB } from './listings/web/admin-tab.ts';
import { WEBHOOKS_TAB } from './webhooks/web/admin-tab.ts';

export const FEATURE_TABS = [LISTINGS_TAB, ENQUIRIES_TAB, EMBEDDING_TAB, WEBHOOKS_TAB] as const;
