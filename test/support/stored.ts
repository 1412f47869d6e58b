import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Lifetime } from './service.ts';

/** Written also where nothing is changed: refusals are noted, and requests counted. */
const BESIDE = new Set(['audit', 'counted_failures', 'request_lease', 'sqlite_sequence']);

/** Reads all that is stored, as a text to compare; but for the audit trail, what is counted, and when something was last used. */
export function openStored(t: Lifetime, dataDir: string): () => string {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true, readBigInts: true });
  t.after(async () => db.close());
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !BESIDE.has(name));
  const statements = tables.map((table) => ({ table, rows: db.prepare(`select * from ${table}`) }));
  // Another number after every commit of another connection: most of what is asked here changes nothing at all.
  const dataVersion = db.prepare('pragma data_version');
  let version: unknown;
  let text = '';
  return () => {
    const current = dataVersion.get()?.['data_version'];
    if (current !== version) {
      version = current;
      text = statements
        .map(({ table, rows }) => `${table}\n${rows.all().map(textOfRow).toSorted().join('\n')}`)
        .join('\n\n');
    }
    return text;
  };
}

function textOfRow(row: object): string {
  const columns = Object.entries(row).filter(([column]) => column !== 'last_used_at_ms');
  return JSON.stringify(columns, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
