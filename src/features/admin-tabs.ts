import { EMBEDDING_TAB } from './embedding/web/admin-tab.ts';

export const FEATURE_TABS = [EMBEDDING_TAB] as const;
