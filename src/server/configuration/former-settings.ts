/** Settings that no longer exist, and what to do instead. */
export const FORMER_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['workers', 'Start several nodes on one PostgreSQL database: docs/guides/several-nodes.md.'],
]);
