import { statement, type Ask } from './engine/statements.ts';

/* Damage that the server itself has found. It verifies its own pages. */

const checksumFailures = statement(
  'select coalesce(sum(checksum_failures), 0)::int8 from pg_stat_database where datname = current_database() or ' +
    'datname is null',
);
// Of the tables of Menagerie, and of those in which the server stores their long values.
const invalidIndexes = statement(
  `select indexrelid::regclass::text from pg_index
   where not indisvalid and exists (select 1 from pg_class
     where indrelid in (oid, reltoastrelid) and relnamespace = (select relnamespace from pg_class where oid = to_regclass('change_order')))
   order by 1`,
);

/** Descriptions of damage. Other checks read every row, and so every page of the tables. */
export async function findDamage(ask: Ask): Promise<readonly string[]> {
  const [[failures] = [0n]] = await ask<[failures: bigint]>(checksumFailures);
  return failures > 0n ? [`the server has found ${failures} pages with a wrong checksum`] : [];
}

/** The names of indexes that the server does not use: their creation failed, or has not finished. */
export async function findInvalidIndexes(ask: Ask): Promise<readonly string[]> {
  return (await ask<[name: string]>(invalidIndexes)).flat();
}
