import type { AdminTab } from '../../../web/features/web-feature.ts';

export const EMBEDDING_TAB: AdminTab = { to: '/admin/embedding', labelIn: (t) => t('embedding.title') };
