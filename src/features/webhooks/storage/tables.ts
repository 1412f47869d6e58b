import { LAST_VERSION } from '../../../storage/rows/derived-rows.ts';
import type { Dialect } from '../../../storage/rows/statements.ts';
import { ROWS, SMALL_ROWS, type DumpTable } from '../../../storage/rows/dump/dump-table.ts';

export const WEBHOOK_TABLES = [
  {
    name: 'webhook',
    columns: {
      id: 'text',
      url: 'text',
      events: 'text',
      secret: 'text',
      previous_secret: 'text',
      previous_secret_until_ms: 'int',
      origin: 'text',
      state: 'text',
      last_version: 'int',
      created_at_ms: 'int',
      leased_by: 'text',
      leased_until_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'webhook_delivery',
    columns: {
      webhook_id: 'text',
      version: 'int',
      attempts: 'int',
      next_at_ms: 'int',
      dead: 'int',
      last_status: 'int',
      last_error: 'text',
      last_at_ms: 'int',
    },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
] as const satisfies readonly DumpTable[];

export const WEBHOOK_REFERENCES = [
  { table: 'webhook_delivery', column: 'webhook_id', parent: 'webhook', label: 'delivery of webhook' },
] as const;

/** The first of the changes after its position is the oldest. */
const oldestOf = (table: string) =>
  `(select changed_at_ms from ${table} where version > last_version order by version limit 1)`;

/** As in `storage/rows/health/row-problems.ts`. */
export const WEBHOOK_CHECKS = {
  'webhook-behind': {
    find: ({ either }: Dialect) => {
      const nowMs = either('(extract(epoch from clock_timestamp()) * 1000)::int8', "unixepoch('now') * 1000");
      const isOld = (table: string) => `${oldestOf(table)} < ${nowMs} - 600000`;
      return `select id as subject from webhook
        where state = 'active' and (${isOld('pet_version')} or ${isOld('account_change')})`;
    },
    repair: [],
  },
} as const;

/** It would miss the events before this version. */
export const WEBHOOK_BROKEN_ROWS = [
  {
    table: 'webhook',
    column: 'id',
    label: 'webhook',
    isBroken: `last_version > ${LAST_VERSION}`,
    repair: `last_version = ${LAST_VERSION}`,
  },
] as const;
