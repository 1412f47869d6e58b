import { EMBEDDING_ITEM } from './embedding/web/admin-menu.ts';
import { ENQUIRIES_ITEM } from './enquiries/web/admin-menu.ts';
import { LISTINGS_ITEM } from './listings/web/admin-menu.ts';
import { WEBHOOKS_ITEM } from './webhooks/web/admin-menu.ts';

export const FEATURE_MENU_ITEMS = [LISTINGS_ITEM, ENQUIRIES_ITEM, EMBEDDING_ITEM, WEBHOOKS_ITEM] as const;
