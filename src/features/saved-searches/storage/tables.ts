import { ROWS, SMALL_ROWS, type DumpTable } from '../../../storage/rows/dump/dump-table.ts';

export const SAVED_SEARCH_TABLES = [
  {
    name: 'saved_search',
    columns: {
      id: 'text',
      email: 'text',
      email_key: 'text',
      language: 'text',
      search: 'text',
      created_at_ms: 'int',
      confirmed_at_ms: 'int',
      ends_at_ms: 'int',
      seen_version: 'int',
      next_at_ms: 'int',
      mailed_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'saved_search_link',
    columns: { digest: 'text', search_id: 'text' },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'saved_search_pet',
    columns: { search_id: 'text', pet_id: 'int' },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
] as const satisfies readonly DumpTable[];

export const SAVED_SEARCH_REFERENCES = [
  { table: 'saved_search_link', column: 'search_id', parent: 'saved_search', label: 'link of saved search' },
  { table: 'saved_search_pet', column: 'search_id', parent: 'saved_search', label: 'sent pet of saved search' },
] as const;
