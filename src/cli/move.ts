import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { readCommandVariable } from '../server/config.ts';
import { explainFailure } from '../server/explain-failure.ts';
import {
  canGoOn,
  moveInstallation,
  MoveStopped,
  type MoveProgress,
  type MoveReport,
  type MoveWatch,
} from '../server/moving/move.ts';
import { readPlaces } from '../server/moving/places.ts';
import { FAILED, print, USAGE, UsageError } from './output.ts';
import { plainText, tableOf } from './table.ts';

const FLAGS = ['from', 'to', 'from-photos', 'to-photos'] as const;

const MOVE_HELP = `Copies a whole installation: pets with every version, accounts, sessions, keys, audit trail, pictures.

Usage: menagerie move --from PLACE --to PLACE [--from-photos PLACE] [--to-photos PLACE]

  --from PLACE          a data folder, or postgres://user:password@host:5432/database
  --to PLACE            the same, and empty
  --from-photos PLACE   a folder, or s3://bucket/prefix; in a data folder they are in photos
  --to-photos PLACE     the same

Each is a variable, too, so that no password needs to stand on a command line: MENAGERIE_MOVE_FROM, MENAGERIE_MOVE_TO,
MENAGERIE_MOVE_FROM_PHOTOS, MENAGERIE_MOVE_TO_PHOTOS. The flag wins.

Stop the servers of both before. The source is only read. A move that was interrupted goes on when the same command is given again;
until it has come to its end, no server starts on the target. At the end, both are compared.
`;

/** As shells have it for whoever was stopped by Ctrl-C. */
const STOPPED = 130;

/** So many names of pictures are told; more say nothing more. */
const MOST_NAMES = 1000;

/** `menagerie move`: from one place to another, whichever database and pictures they have. */
export async function move(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(MOVE_HELP);
  const stop = stopOnSignal();
  const view = new ProgressView(stop.signal);
  try {
    const { from, to } = readCall(args);
    const report = await moveInstallation(from, to, view);
    view.end();
    tell(report);
  } catch (error) {
    view.end();
    process.stderr.write(`${explain(error, view.hasBegun)}\n`);
    process.exitCode = error instanceof UsageError ? USAGE : error instanceof MoveStopped ? STOPPED : FAILED;
  } finally {
    stop.forget();
  }
}

function readCall(args: readonly string[]) {
  const places = readPlaces(readGiven(args));
  if ('problems' in places) throw new UsageError(places.problems.join('\n'));
  return places;
}

function readGiven(args: readonly string[]) {
  const options = Object.fromEntries(FLAGS.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options });
    const given = (name: (typeof FLAGS)[number]) => {
      const value = values[name];
      return typeof value === 'string' ? value : readCommandVariable(`move-${name}`);
    };
    return {
      from: given('from'),
      to: given('to'),
      fromPhotos: given('from-photos'),
      toPhotos: given('to-photos'),
    };
  } catch {
    // The parser's own words repeat what was given, which may have a password in it.
    throw new UsageError('Usage: menagerie move --from PLACE --to PLACE [--from-photos PLACE] [--to-photos PLACE]');
  }
}

/** The first signal stops the move after the current step, the second one immediately. */
function stopOnSignal(): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const done = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    once(process, name, { signal: done.signal }).then(
      () => controller.abort(),
      () => {},
    );
  }
  return { signal: controller.signal, forget: () => done.abort() };
}

/** Shows a progress bar for each table on a terminal, and a line for each stage elsewhere. */
class ProgressView implements MoveWatch {
  readonly signal: AbortSignal;
  hasBegun = false;
  readonly #isTerminal = process.stderr.isTTY;
  #bar: SingleBar | undefined;
  #shown = '';

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  onBegin({ from, to, isResumed }: Parameters<MoveWatch['onBegin']>[0]): void {
    this.hasBegun = true;
    print(plainText(`${isResumed ? 'Going on to move' : 'Moving'} from ${from} to ${to}`));
    print('\n');
  }

  onProgress(progress: MoveProgress): void {
    if (this.#isTerminal) this.#showBar(progress);
    else this.#showStage(progress);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #showStage({ step, what }: MoveProgress): void {
    const stage = step === 'comparing' ? 'Comparing both' : what === 'pictures' ? 'Copying pictures' : 'Copying rows';
    if (stage !== this.#shown) print(`${stage}\n`);
    this.#shown = stage;
  }

  #showBar({ step, what, done, total }: MoveProgress): void {
    if (total === 0) return;
    const name = `${step} ${what}`;
    if (name !== this.#shown) {
      this.end();
      const format = `${name.padEnd(26)} {bar} {value}/{total}`;
      this.#bar = new SingleBar({ format, stream: process.stderr, gracefulExit: false });
      this.#bar.start(total, done);
      this.#shown = name;
    }
    this.#bar?.update(done);
  }
}

function tell({ tables, pictures, areCountersSame, isFinished }: MoveReport): void {
  const { copied, missing, damaged, lost, strays } = pictures;
  const hasAllPictures = missing.length + damaged.length + lost.length === 0;
  const rows = tables.map(({ name, rows, digest, isSame }) => [
    name,
    String(rows),
    digest.slice(0, 12),
    isSame ? 'yes' : 'NO',
  ]);
  print(
    tableOf(
      ['what', 'count', 'digest', 'ok'],
      [...rows, ['pictures', String(copied), '', hasAllPictures ? 'yes' : 'NO']],
    ),
  );
  if (strays > 0)
    print(
      `${strays} ${strays === 1 ? 'picture that no pet ever had was' : 'pictures that no pet ever had were'} not copied.\n`,
    );
  tellPictures('is not there in the source, and was not copied', missing);
  tellPictures('is damaged in the source, and was not copied', damaged);
  tellPictures('was stored in the target, and is not there', lost);
  const different = tables.filter(({ isSame }) => !isSame).map(({ name }) => name);
  if (!isFinished) {
    const what = different.length > 0 ? ` (${different.join(', ')})` : areCountersSame ? '' : ' (counters)';
    process.stderr.write(
      `Source and target are not the same${what}: the source has changed during the move, or the target was changed by somebody else. Servers do not start on the target. Stop what changes them, and move into an empty target.\n`,
    );
  }
  if (isFinished) print('The move is finished: start the service on the target.\n');
  if (!isFinished || !hasAllPictures) process.exitCode = FAILED;
}

function tellPictures(trouble: string, digests: readonly string[]): void {
  for (const digest of digests.slice(0, MOST_NAMES)) process.stderr.write(`The picture ${digest} ${trouble}.\n`);
  if (digests.length > MOST_NAMES) process.stderr.write(`The same of ${digests.length - MOST_NAMES} more.\n`);
}

function explain(error: unknown, hasBegun: boolean): string {
  if (error instanceof UsageError) return error.message;
  const reason = error instanceof MoveStopped ? 'Stopped.' : explainFailure(error);
  return hasBegun && canGoOn(error) ? `${reason}\nThe same command goes on from here.` : reason;
}
