import { EMBEDDING_TAB } from './embedding/web/admin-tab.ts';
import { ENQUIRIES_TAB } from './enquiries/web/admin-tab.ts';
import { WEBHOOKS_TAB } from './webhooks/web/admin-tab.ts';

export const FEATURE_TABS = [ENQUIRIES_TAB, EMBEDDING_TAB, WEBHOOKS_TAB] as const;
