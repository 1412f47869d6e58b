import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { everyStatement } from '../../src/storage/postgres/engine/statements.ts';

/*
 * Checks every statement against the documented limits of CockroachDB, YugabyteDB and Citus, none of which runs here.
 * test/stores/postgres.test.ts checks that no other statements are sent.
 */

/** Syntax that at least one of them does not support, or interprets differently, each with the reason. */
const REFUSED: readonly [pattern: RegExp, why: string][] = [
  [/\bpg_(?:try_)?advisory/, 'advisory locks: CockroachDB has them as functions that do nothing'],
  [/\b(?:listen|unlisten|notify)\b/, 'LISTEN and NOTIFY: not in CockroachDB, and not across the nodes of Citus'],
  [/\block\s+table\b/, 'LOCK TABLE: not in CockroachDB'],
  [/\btemp(?:orary)?\s+table\b/, 'temporary tables: experimental in CockroachDB, slow in YugabyteDB'],
  [
    /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure|trigger|rule|extension|domain|aggregate|event)\b/,
    'code in the database: not on distributed tables of Citus',
  ],
  [/\bdo\s+\$/, 'code in the database'],
  [
    /\b(?:big|small)?serial\b|\bgenerated\b|\bnextval\b|\bcreate\s+sequence\b/,
    'sequences: CockroachDB numbers without order, Citus by node',
  ],
  [/\b(?:ctid|xmin|xmax|cmin|cmax|tableoid)\b/, 'system columns: not in CockroachDB'],
  [
    /\bdeferrable\b|\binitially\s+deferred\b|\bexclude\s+using\b/,
    'deferred and exclusion constraints: not in CockroachDB',
  ],
  [
    /\bfor\s+(?:no\s+key\s+update|key\s+share|share)\b|\bskip\s+locked\b/,
    'other row locks than FOR UPDATE: not the same everywhere',
  ],
  [/\breturning\b.*\b(?:old|new)\./, 'old and new in RETURNING: PostgreSQL 18 only'],
  [/\bmerge\s+into\b/, 'MERGE: not in CockroachDB, nor in YugabyteDB'],
  [/\bcopy\b.*\bfrom\b|\bdeclare\b.*\bcursor\b|\btablesample\b/, 'COPY, cursors, samples: not on all'],
  [/\blateral\b/, 'LATERAL with a limit: not over several nodes of Citus'],
  [
    /\bnatural\s+join\b|\bfull\s+(?:outer\s+)?join\b/,
    'full joins: not over several nodes of Citus unless on the distribution column',
  ],
  [/\bon\s+conflict\s+do\b/, 'ON CONFLICT without its columns: Citus wants the distribution column in it'],
  [/\bcreate\s+index\b.*\busing\s+(?!btree|gin\s*\((?!.*,))/, 'other indexes than B-trees, and GIN of one column'],
  [
    /\binherits\b|(?<!over \()\bpartition\s+by\b|\btablespace\b|\bunlogged\b/,
    'inheritance, partitions, tablespaces, unlogged tables',
  ],
  [/\bover\s*\(partition\s+by\s+(?!pet_id\b)/, 'windows of another column than the distribution column of Citus'],
  [/\bcluster\b|\bvacuum\b|\breindex\b/, 'maintenance by hand'],
  [/\bmaterialized\b/, 'materialized: another meaning or none'],
  [
    /\b(?:smallint|int2|money|xml|point|box|path|polygon|circle|hstore|citext|ltree|bit varying)\b/,
    'types that not all support',
  ],
];

// Declares the statements.
await import('../../src/storage/postgres/stores.ts');
await import('../../src/storage/postgres/database-health.ts');
const statements = everyStatement();

void test('SQL statements: are accepted by CockroachDB, YugabyteDB and Citus', () => {
  assert.ok(statements.length > 70, String(statements.length));
  const migrations = readMigrations().map(({ name, sql }) => ({ name, text: sql }));
  const refused = [...statements, ...migrations].flatMap(({ name, text }) =>
    REFUSED.filter(([pattern]) => pattern.test(withoutComments(text).toLowerCase())).map(
      ([, why]) => `${why}\n  ${name}: ${text}`,
    ),
  );
  assert.deepEqual(refused, [], refused.join('\n\n'));
});

void test('batched deletions: select their rows once, so that no plan can be quadratic', () => {
  const changes = statements.filter(({ text }) => /^\s*(?:with|delete|update)\b/.test(text));
  assert.ok(changes.some(({ text }) => text.includes('any(array(')));
  const joined = changes.filter(({ text }) => /\bin\s*\(\s*select\b/.test(text));
  assert.deepEqual(
    joined.map(({ text }) => text),
    [],
    'Where statistics are stale, PostgreSQL runs `in (select ...)` once for each row. Use `= any(array(select ...))`.',
  );
});

void test('tables: have primary keys, which include the pet id for records of pets', () => {
  const script = withoutComments(
    readMigrations()
      .map(({ sql }) => sql)
      .join('\n'),
  );
  const tables = [...script.matchAll(/create table (\w+) \((.*?)\n\);/gs)];
  assert.ok(tables.length >= 14);
  for (const [, name = '', columns = ''] of tables) {
    assert.match(columns, /primary key/, name);
    // An enquiry outlives its pet.
    if (/\bpet_id int8 not null/.test(columns) && name !== 'enquiry')
      assert.match(columns, /primary key \([^)]*pet_id[^)]*\)/, name);
  }
});

function withoutComments(text: string): string {
  return text.replaceAll(/^--.*$/gm, '');
}
