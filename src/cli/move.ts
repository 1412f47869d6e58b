import { readCommandVariable } from '../server/configuration/config.ts';
import { explainFailure } from '../server/log/explain-failure.ts';
import { requireFolder } from '../server/stores/open-stores.ts';
import {
  canResume,
  moveInstallation,
  MoveStopped,
  type MoveReport,
  type MoveWatch,
} from '../server/backup/copy-to-target.ts';
import { readPlaces } from '../server/configuration/places.ts';
import { FAILED, USAGE, UsageError, plainText, print, printError } from './terminal/output.ts';
import { ProgressView, stopOnSignal, STOPPED } from './terminal/progress.ts';
import { tableOf } from './terminal/table.ts';
import { readCommandLine } from './terminal/usage.ts';

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  'from-photos': { type: 'string' },
  'to-photos': { type: 'string' },
} as const;

const USAGE_LINE = 'Usage: menagerie move --from PLACE --to PLACE [--from-photos PLACE] [--to-photos PLACE]';

const MOVE_HELP = `Copy an installation to an empty one: all pets and their versions, users, sessions, API keys, webhooks, audit log and photos.

${USAGE_LINE}

Flags:
  --from PLACE          source: a data folder, or postgres://user:password@host:5432/database
  --to PLACE            target, in the same forms; it must be empty
  --from-photos PLACE   photos of the source: a folder, or s3://bucket/prefix (default: "photos" in the data folder)
  --to-photos PLACE     photos of the target, in the same forms

To keep passwords out of the command line, use environment variables: MENAGERIE_MOVE_FROM, MENAGERIE_MOVE_TO,
MENAGERIE_MOVE_FROM_PHOTOS, MENAGERIE_MOVE_TO_PHOTOS. A flag wins.

Stop the servers of both installations first. The source is only read, and at the end compared with the target. Afterwards, a
PostgreSQL database refuses changes and servers. To resume an interrupted move, run the same command again; until the move
has finished, no server starts on the target.

Examples:
  menagerie move --from ./data --to /srv/pets
  menagerie move --from ./data --to postgres://menagerie@db.example.org/pets --to-photos s3://pets
`;

/** Maximum number of photos that are listed by name. */
const MAX_LISTED_PHOTOS = 1000;

export async function move(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(MOVE_HELP);
  const stop = stopOnSignal();
  const view = new ProgressView();
  let hasBegun = false;
  const watch: MoveWatch = {
    signal: stop.signal,
    onBegin({ from, to, isResumed }) {
      hasBegun = true;
      print(plainText(`${isResumed ? 'Resuming the move' : 'Moving'} from ${from} to ${to}`));
      print('\n');
    },
    onProgress: (progress) => view.show(progress),
  };
  try {
    const { from, to } = readMove(args);
    if ('dataDir' in to.database) await requireFolder(to.database.dataDir);
    const report = await moveInstallation(from, to, watch);
    view.end();
    printReport(report);
  } catch (error) {
    view.end();
    printError(explain(error, hasBegun));
    process.exitCode = error instanceof UsageError ? USAGE : error instanceof MoveStopped ? STOPPED : FAILED;
  } finally {
    stop.forget();
  }
}

function readMove(args: readonly string[]) {
  const { values } = readCommandLine(args, OPTIONS, USAGE_LINE);
  const valueOf = (name: keyof typeof OPTIONS) => values[name] ?? readCommandVariable(`move-${name}`);
  const places = readPlaces({
    from: valueOf('from'),
    to: valueOf('to'),
    fromPhotos: valueOf('from-photos'),
    toPhotos: valueOf('to-photos'),
  });
  if ('problems' in places) throw new UsageError(places.problems.join('\n'));
  return places;
}

function printReport({ tables, photos, areCountersSame, isFinished }: MoveReport): void {
  const { copied, missing, damaged, lost, strays } = photos;
  const hasAllPhotos = missing.length + damaged.length + lost.length === 0;
  const rows = tables.map(({ name, rows, digest, isSame }) => [
    name,
    String(rows),
    digest.slice(0, 12),
    isSame ? 'yes' : 'NO',
  ]);
  print(
    tableOf(['data', 'count', 'digest', 'ok'], [...rows, ['photos', String(copied), '', hasAllPhotos ? 'yes' : 'NO']]),
  );
  if (strays > 0)
    print(
      `${strays} ${strays === 1 ? 'stored photo that is not in the database was' : 'stored photos that are not in the database were'} not copied.\n`,
    );
  listPhotos('is missing in the source; it was not copied', missing);
  listPhotos('is damaged in the source; it was not copied', damaged);
  listPhotos('is missing in the target, although it was copied', lost);
  const different = tables.filter(({ isSame }) => !isSame).map(({ name }) => name);
  if (!isFinished) {
    const what = different.length > 0 ? ` (${different.join(', ')})` : areCountersSame ? '' : ' (counters)';
    process.stderr.write(
      `Source and target differ${what}: one of them was changed during the move. Servers do not start on the target. Stop what changes the data, and move into an empty target.\n`,
    );
  }
  if (isFinished) print('The move is finished. Start the service on the target.\n');
  if (!isFinished || !hasAllPhotos) process.exitCode = FAILED;
}

function listPhotos(problem: string, digests: readonly string[]): void {
  for (const digest of digests.slice(0, MAX_LISTED_PHOTOS)) printError(`Photo ${digest} ${problem}.`);
  const more = digests.length - MAX_LISTED_PHOTOS;
  if (more > 0) printError(`${more} more photos have the same problem.`);
}

function explain(error: unknown, hasBegun: boolean): string {
  if (error instanceof UsageError) return error.message;
  const reason = error instanceof MoveStopped ? 'Stopped.' : explainFailure(error);
  return hasBegun && canResume(error) ? `${reason}\nRun the same command again to resume.` : reason;
}
