/* The words of this feature that tables of the core contain. */

export const AUDIT_ACTIONS = ['embedding.changed'] as const;

/** The source file of each page. */
export const PAGES = { '/admin/embedding': 'embedding-page.tsx' } as const;

/** The beginnings of its paths. */
export const SERVICE_SEGMENTS = ['embed', 'oembed'] as const;

export const SITE_RECORDS = ['embedding'] as const;
