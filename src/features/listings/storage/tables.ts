import { ROWS, SMALL_ROWS, type DumpTable } from '../../../storage/rows/dump/dump-table.ts';

export const LISTING_TABLES = [
  {
    name: 'listing',
    columns: {
      site: 'text',
      is_on: 'int',
      changes: 'int',
      key_digest: 'text',
      key_created_at_ms: 'int',
      sent_at_ms: 'int',
      sent_pets: 'int',
      sent_digest: 'text',
      attempts: 'int',
      next_at_ms: 'int',
      error: 'text',
      failed_at_ms: 'int',
      claimed_until_ms: 'int',
      sent_mark: 'text',
      requested_at_ms: 'int',
      failing_since_ms: 'int',
      reported_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  { name: 'unlisted_pet', columns: { site: 'text', pet_id: 'int' }, keyLength: 2, batchRows: SMALL_ROWS },
  {
    name: 'listed_pet',
    columns: { site: 'text', pet_id: 'int', since_ms: 'int' },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
] as const satisfies readonly DumpTable[];

/** The SQL that finds the problems of `names.ts`. */
export const LISTING_CHECKS = {
  'listing-failing': {
    find: 'select site as subject from listing where failing_since_ms is not null and attempts >= 6',
    repair: [],
  },
} as const;
