import pLimit from 'p-limit';
import { BUG_GROUPS, type BugGroup, type BugId } from '../../domain/playgrounds/bugs.ts';
import type { Client } from '../../client/client.ts';
import { UsageError } from '../terminal/output.ts';
import { runSuite, UnusableSuite, type SuiteRun } from './suite-run.ts';

export const CONTENTS = ['samples', 'empty'] as const;
export const ACCESS = ['open', 'secured'] as const;

export interface GradingOptions {
  command: readonly string[];
  /** Names of sets and IDs of bugs. */
  bugs: readonly string[];
  contents: (typeof CONTENTS)[number];
  access: (typeof ACCESS)[number];
  jobs: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A planted bug, as the service describes it. */
interface PlantedBug {
  id: BugId;
  group: BugGroup;
  isPetstore: boolean;
  description: string;
}

/** `flaky`: the suite failed without having met the bug. */
export type Verdict = 'noticed' | 'missed' | 'not met' | 'flaky';

export interface GradedBug extends PlantedBug {
  verdict: Verdict;
  /** The number of requests whose response the bug changed. */
  met: number;
  run: SuiteRun;
}

export interface Grading {
  command: readonly string[];
  at: Date;
  bugs: readonly GradedBug[];
}

type Created = Awaited<ReturnType<Client['createPlayground']>>;

/** The end of the output of a suite that fails without bugs. */
const SHOWN_LINES = 30;

/** A suite that fails now and then would seem to notice bugs. */
const CLEAN_RUNS = 2;

/** Runs a suite in playgrounds of a service, without and with planted bugs. */
export class Grader {
  readonly #service: Client;
  readonly #options: GradingOptions;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;

  constructor(service: Client, options: GradingOptions) {
    this.#service = service;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#stopping.signal]);
  }

  /** @throws UsageError for unknown bugs */
  async chooseBugs(): Promise<readonly PlantedBug[]> {
    return this.#inPlayground([], async ({ token }) => {
      const { bugs } = await this.#service.getPlaygroundBugs({ token, include: 'description' });
      return chosenFrom(bugs, this.#options.bugs);
    });
  }

  /** @throws UnusableSuite if the suite fails, or sends no request */
  async runWithoutBugs(): Promise<readonly SuiteRun[]> {
    const attempts = Array.from({ length: CLEAN_RUNS }, () => this.#cleanRun);
    const runs = await this.#all(attempts);
    const failed = runs.filter(({ outcome }) => outcome !== 'passed');
    const [first] = failed;
    if (first === undefined) return runs;
    const how = first.outcome === 'timed out' ? 'takes too long' : 'fails';
    const message =
      failed.length === runs.length
        ? `The suite ${how} without bugs, so it cannot be graded.`
        : `The suite is flaky, so it cannot be graded: without bugs, it ${how} in ${failed.length} of ${runs.length} ` +
          'runs. They are parallel, unless --jobs is 1.';
    throw new UnusableSuite(`${message} The end of its output:\n${lastLines(first.output)}`);
  }

  /** @param onEnd called after each run */
  async runWithBugs(chosen: readonly PlantedBug[], onEnd: (graded: GradedBug) => void): Promise<Grading> {
    const runs = chosen.map((bug) => async () => {
      const graded = await this.#runWith(bug);
      onEnd(graded);
      return graded;
    });
    return { command: this.#options.command, at: new Date(), bugs: await this.#all(runs) };
  }

  /** The first failure ends all runs. */
  async #all<T>(runs: readonly (() => Promise<T>)[]): Promise<T[]> {
    const limit = pLimit(this.#options.jobs);
    const all = runs.map((run) => limit(run));
    for (const each of all) each.catch((error: unknown) => this.#stopping.abort(error));
    await Promise.allSettled(all);
    return Promise.all(all);
  }

  readonly #cleanRun = (): Promise<SuiteRun> =>
    this.#inPlayground([], async (playground) => {
      const run = await this.#run(playground);
      if (run.outcome === 'passed') await this.#requireRequests(playground);
      return run;
    });

  async #requireRequests({ token }: Created): Promise<void> {
    const requests = await this.#service.listPlaygroundRequests({ token });
    if (requests.length === 0)
      throw new UnusableSuite('The suite sent no request to the address in MENAGERIE_URL, so it cannot be graded.');
    if (requests.some(({ operation }) => operation === 'createPlayground'))
      throw new UnusableSuite(
        'The suite creates playgrounds, so it cannot be graded: it must send its requests to the address in MENAGERIE_URL.',
      );
  }

  async #runWith(bug: PlantedBug): Promise<GradedBug> {
    return this.#inPlayground([bug.id], async (playground) => {
      const run = await this.#run(playground);
      const { bugs } = await this.#service.getPlaygroundBugs({ token: playground.token });
      const met = bugs.find(({ id }) => id === bug.id)?.met ?? 0;
      return { ...bug, verdict: verdictOf(met, run), met, run };
    });
  }

  async #run({ base, users }: Created): Promise<SuiteRun> {
    const { command, timeoutMs } = this.#options;
    const url = base.replace(/\/v2$/, '');
    const passwords = users.map(
      ({ role, password }) => [`MENAGERIE_${role.toUpperCase()}_PASSWORD`, password] as const,
    );
    return runSuite(
      command.map((word) => word.replaceAll('{url}', url).replaceAll('{base}', base)),
      { environment: { MENAGERIE_URL: url, ...Object.fromEntries(passwords) }, timeoutMs, signal: this.#signal },
    );
  }

  async #inPlayground<T>(bugs: readonly BugId[], use: (playground: Created) => Promise<T>): Promise<T> {
    const { contents, access, timeoutMs } = this.#options;
    this.#signal.throwIfAborted();
    const lifetimeSeconds = Math.ceil(timeoutMs / 1000) * 2 + 60;
    const playground = await this.#service.createPlayground({
      body: { contents, access, lifetimeSeconds, bugs: [...bugs] },
    });
    try {
      return await use(playground);
    } finally {
      await this.#service.deletePlayground({ token: playground.token });
    }
  }
}

type ServedBug = Awaited<ReturnType<Client['getPlaygroundBugs']>>['bugs'][number];

function chosenFrom(bugs: readonly ServedBug[], sets: readonly string[]): readonly PlantedBug[] {
  const described = bugs.map(({ id, group = 'wrong-data', petstore = false, description = '' }) => {
    return { id, group, isPetstore: petstore, description };
  });
  const isIn = (bug: PlantedBug, name: string) =>
    name === 'all' || name === bug.id || name === bug.group || (name === 'petstore' && bug.isPetstore);
  if (!sets.every((name) => described.some((bug) => isIn(bug, name))))
    throw new UsageError(
      `--bugs must be all, petstore, ${BUG_GROUPS.join(', ')}, or IDs from ${bugs[0]?.id} to ${bugs.at(-1)?.id}.`,
    );
  return described.filter((bug) => sets.some((name) => isIn(bug, name)));
}

function verdictOf(met: number, { outcome }: SuiteRun): Verdict {
  if (met === 0) return outcome === 'passed' ? 'not met' : 'flaky';
  return outcome === 'passed' ? 'missed' : 'noticed';
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}
