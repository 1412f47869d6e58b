import { backUpBeforeMigration } from '../server/backup/before-migration.ts';
import { sparingly } from '../server/stores/log-migrations.ts';
import {
  migrateDatabase,
  planMigration,
  type MigrationEvent,
  type MigrationPlan,
} from '../server/stores/migrate-database.ts';
import { INSTALLATION_FLAGS, readInstallationConfig } from './terminal/command.ts';
import { FAILED, plainText, print, printFailure } from './terminal/output.ts';
import { readCommandLine } from './terminal/usage.ts';

const USAGE_LINE = 'Usage: menagerie migrate [--dry-run] [--no-copy] [--json] [--data-dir FOLDER] [--config FILE]';

const HELP = `Change the database for this version, without starting the service, which otherwise does so at its start.

${USAGE_LINE}

Flags:
  --dry-run           only report the migrations, the space and a rough time; nothing is changed
  --no-copy           do not copy or back up the database first; back it up yourself. Otherwise, the database of a data folder
                      is copied to "before-migrations", and PostgreSQL is backed up in the place of the service's backups, or
                      without one in "before-migrations"
  --json              print one JSON object per line
  --data-dir FOLDER   data folder (default ./data; or MENAGERIE_DATA_DIR). With MENAGERIE_DATABASE_URL, the database is there.
  --config FILE       config file of the service (default: menagerie.toml in the data folder; or MENAGERIE_CONFIG)

Exit codes: 0 if the database fits this version, 1 after an error or, with --dry-run, if the migration would be refused,
2 for invalid usage.

Examples:
  menagerie migrate --dry-run --data-dir /srv/pets
  menagerie migrate --data-dir /srv/pets
`;

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  'no-copy': { type: 'boolean' },
  json: { type: 'boolean' },
  ...INSTALLATION_FLAGS,
} as const;

const PROGRESS_MS = 2000;

export async function migrate(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(HELP);
  try {
    const { values } = readCommandLine(args, OPTIONS, USAGE_LINE);
    const config = readInstallationConfig(values);
    const isJson = values.json === true;
    const isCopied = values['no-copy'] !== true;
    const plan = await planMigration(config, isCopied);
    if (values['dry-run'] === true) return report(plan, isJson);
    const show = (event: MigrationEvent) => print(isJson ? jsonOf(event) : lineOf(event));
    const onMigration = sparingly(show, PROGRESS_MS);
    if (isCopied) await backUpBeforeMigration(config, onMigration);
    await migrateDatabase(config, { isCopied, onMigration });
    if (!isJson) print(`The database fits this version (schema ${plan.knownSchema}).\n`);
  } catch (error) {
    printFailure(error);
  }
}

function report(plan: MigrationPlan, isJson: boolean): void {
  const lacksSpace = plan.space !== undefined && plan.space.freeBytes < plan.space.neededBytes;
  const isRefused = plan.pending.length > 0 && (lacksSpace || plan.olderNodes.length > 0);
  print(isJson ? `${JSON.stringify({ ...plan, isRefused })}\n` : textOf(plan));
  if (isRefused) process.exitCode = FAILED;
}

function textOf({
  schema,
  knownSchema,
  pending,
  databaseBytes,
  roughSeconds,
  space,
  olderNodes,
}: MigrationPlan): string {
  if (pending.length === 0) return `No migrations are pending (schema ${schema}).\n`;
  return [
    `From schema ${schema} to ${knownSchema}:\n`,
    ...pending.map(
      ({ name, isRolling }) => `  ${name}${isRolling ? ' (nodes of the previous version can continue)' : ''}\n`,
    ),
    `Database: ${megabytes(databaseBytes)}. Rough time: ${roughSeconds} s.\n`,
    ...(space === undefined
      ? []
      : [
          `Space for the copy and the migration: ${megabytes(space.neededBytes)}; free: ${megabytes(space.freeBytes)}.\n`,
        ]),
    ...(olderNodes.length === 0
      ? []
      : [plainText(`Stop the nodes of the previous version first, connected from ${olderNodes.join(', ')}.`), '\n']),
    'Nothing was changed.\n',
  ].join('');
}

function jsonOf(event: MigrationEvent): string {
  const isProgress = event.kind === 'progress';
  return `${JSON.stringify(isProgress ? { ...event, done: Number(event.done), total: Number(event.total) } : event)}\n`;
}

function lineOf(event: MigrationEvent): string {
  switch (event.kind) {
    case 'copied':
      return `${plainText(`Copied the database to ${event.path}`)} (${megabytes(event.bytes)}, ${seconds(event.ms)}).\n`;
    case 'backed up':
      return `${plainText(`Backed up the database: ${event.backup} in ${event.place}`)} (${seconds(event.ms)}).\n`;
    case 'started':
      return `Migration ${event.number} of ${event.total}: ${event.migration}\n`;
    case 'waiting':
      return '  waits for a long read of another program, such as a backup\n';
    case 'progress':
      return `  ${event.total === 0n ? 100n : (100n * event.done) / event.total} %\n`;
    case 'finished':
    default:
      return `  done in ${seconds(event.ms)}\n`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
