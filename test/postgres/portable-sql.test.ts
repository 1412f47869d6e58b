import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { readMigrations } from '../../src/postgres/engine/migrations.ts';
import { everyStatement, type Statement } from '../../src/postgres/engine/statements.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { emptyDatabase, openPostgresStoresAt, type PostgresStores } from '../support/postgres-stores.ts';
import { describeStores } from '../stores/store-suite.ts';

/*
 * The SQL that is really sent, held to what CockroachDB, YugabyteDB and Citus take as well as PostgreSQL: by what their documentation says, for none
 * of them runs here. docs/scale.md says what follows from it.
 */

/** What at least one of them does not take, or takes to mean something else; each with why. */
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
    /\binherits\b|\bpartition\s+by\b|\btablespace\b|\bunlogged\b/,
    'inheritance, partitions, tablespaces, unlogged tables',
  ],
  [/\bcluster\b|\bvacuum\b|\breindex\b/, 'maintenance by hand'],
  [/\bmaterialized\b/, 'materialized: another meaning or none'],
  [
    /\b(?:smallint|int2|money|xml|point|box|path|polygon|circle|hstore|citext|ltree|bit varying)\b/,
    'types that not all have',
  ],
];

/** The transactions as they begin and end, and what a new connection asks. */
const BETWEEN =
  /^(?:begin isolation level read committed; set local statement_timeout = \d+; set local idle_in_transaction_session_timeout = '\d+s'|(?:set local statement_timeout = 0; )?commit|rollback|show transaction_read_only)$/;
const SCRIPTS = new Set(readMigrations().map(({ sql }) => flat(sql)));

const file = { after: (end: () => Promise<void>) => void ends.push(end) };
const ends: (() => Promise<void>)[] = [];
const ours = everyStatement();
let server: PostgresServer | undefined;
let opening: Promise<PostgresStores> | undefined;

async function openOnce(): Promise<PostgresStores> {
  server = await startPostgres(file, {
    fsync: false,
    settings: { log_statement: 'all', log_line_prefix: '%a|', log_duration: 'off' },
  });
  return openPostgresStoresAt(await server.createDatabase());
}

// The whole store suite, so that everything that can be sent is.
describeStores('a PostgreSQL that writes down what it is sent', async () => {
  const stores = await (opening ??= openOnce());
  await emptyDatabase(stores.connections);
  return stores;
});

void describe('what was sent', () => {
  void it('is statements that can be looked at, the beginning and end of transactions, and nothing else', () => {
    const known = new Map(everyStatement().map(({ name, text }) => [name, flat(text)]));
    const sent = statementsIn(server?.log() ?? '');
    assert.ok(sent.length > 1000, `${sent.length} were sent`);
    const names = new Set<string>();
    for (const { name, text } of sent) {
      if (name === undefined) {
        if (!SCRIPTS.has(text)) assert.match(text, BETWEEN);
      } else {
        assert.equal(text, known.get(name));
        names.add(name);
      }
    }
    const unused = ours.filter(({ name }) => !names.has(name)).map(({ text }) => text);
    // Reads of standbys have a test of their own.
    assert.deepEqual(
      unused.filter((text) => !/left join .* as found on true/s.test(text) && !NOT_BY_THE_SUITE.test(text)),
      [],
    );
  });
});

/** By those that copy a whole installation, by nodes that watch standbys, by the migration of a database that has data, and by migrations to come. */
const NOT_BY_THE_SUITE =
  /^select last_version from change_order|^update change_order set schema_version|^select (?:id, version, text from pet|pet_id, version, action, changed_at_ms from pet_version) where \w+ >= \$1 and \w+ <= \$2|^select changed_at_ms \/ 86400000 as day/;

after(async () => {
  await (await opening)?.close();
  for (const end of ends) await end();
});

void test('every statement is one that CockroachDB, YugabyteDB and Citus take', () => {
  assert.ok(ours.length > 70, String(ours.length));
  const migrations = readMigrations().map(({ name, sql }) => ({ name, text: sql }));
  const refused = [...ours, ...migrations].flatMap(({ name, text }) =>
    REFUSED.filter(([pattern]) => pattern.test(withoutComments(text).toLowerCase())).map(
      ([, why]) => `${why}\n  ${name}: ${text}`,
    ),
  );
  assert.deepEqual(refused, [], refused.join('\n\n'));
});

void test('every table has a key, and what belongs to a pet has the id of the pet in it', () => {
  const script = withoutComments(
    readMigrations()
      .map(({ sql }) => sql)
      .join('\n'),
  );
  const tables = [...script.matchAll(/create table (\w+) \((.*?)\n\);/gs)];
  assert.ok(tables.length >= 14);
  for (const [, name = '', columns = ''] of tables) {
    assert.match(columns, /primary key/, name);
    if (/\bpet_id int8 not null/.test(columns)) assert.match(columns, /primary key \([^)]*pet_id[^)]*\)/, name);
  }
});

void test('docs/scale.md has every statement that pets are read and changed with', () => {
  const page = flat(readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8'));
  const missing = ours.filter(isOfPets).filter(({ name }) => !page.includes(name.replace('menagerie_', '')));
  assert.deepEqual(
    missing.map(({ name, text }) => `${name}: ${text}`),
    [],
  );
});

function isOfPets({ text }: Statement): boolean {
  return (
    /\b(?:pet|pet_version|pet_tag|removed_pet|pet_photo|photo|pet_search|pet_count|label_count)\b/.test(text) &&
    !/left join|information_schema|^truncate/.test(text)
  );
}

/** The log has a line for each statement that was executed; the further lines of its text begin with a tab. */
function statementsIn(log: string): { name: string | undefined; text: string }[] {
  const entry = /^menagerie\|LOG: {2}(?:execute (?<name>\S+)|statement): (?<text>.*(?:\n\t.*)*)/gm;
  return [...log.matchAll(entry)].map(({ groups }) => ({
    name: groups?.['name'],
    text: flat(groups?.['text'] ?? ''),
  }));
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function withoutComments(text: string): string {
  return text.replaceAll(/^--.*$/gm, '');
}
