import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { createClient, MenagerieError, NetworkError } from '../client/client.ts';
import { readCommandVariable } from '../server/configuration/config.ts';
import type { Values } from '../server/configuration/arguments.ts';
import { startMemoryService } from '../server/memory-service.ts';
import { plainUrl } from '../server/configuration/setting-values.ts';
import { explainFailure } from '../server/log/explain-failure.ts';
import { BUG_GROUPS } from '../domain/playgrounds/bugs.ts';
import { ACCESS, CONTENTS, Grader, type GradingOptions } from './grading/grader.ts';
import { linesOf, summaryOf, writeReport } from './grading/report.ts';
import { UnusableSuite } from './grading/suite-run.ts';
import { FAILED, USAGE, UsageError, print, printError } from './terminal/output.ts';
import { STOPPED, stopOnSignal } from './terminal/progress.ts';
import { readCommandLine } from './terminal/usage.ts';

const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;
const MAX_JOBS = 64;

const USAGE_LINE = 'Usage: menagerie grade [FLAGS] -- COMMAND [ARGUMENTS]';

const HELP = `Run a test suite without bugs, and once with each planted bug, to find out which bugs it notices. The guide is
docs/guides/testing-with-it.md#grade-a-test-suite.

${USAGE_LINE}

COMMAND runs the suite, and fails if a test fails. Each run has a playground of its own, in memory: the variable
MENAGERIE_URL has its address, to which the suite adds /v2. In the arguments, {url} is replaced by the same address and
{base} by that of the API. Runs are parallel, in the same folder: a suite that cannot do this needs --jobs 1.

Flags:
  --bugs NAMES        sets and IDs, separated by commas: all (default), petstore, ${BUG_GROUPS.join(', ')}, bug-07
  --contents NAME     the pets and users of a playground: samples (default) or empty
  --access NAME       open (default), or secured: the passwords of its users are in MENAGERIE_VIEWER_PASSWORD,
                      MENAGERIE_EDITOR_PASSWORD and MENAGERIE_ADMIN_PASSWORD
  --jobs NUMBER       maximum number of parallel runs (default: half of the processor cores)
  --timeout SECONDS   time after which a run has failed (default ${DEFAULT_TIMEOUT_SECONDS})
  --show-output       print the output of runs that fail
  --report FILE       write a report, as .json or .html; may be repeated
  --url URL           address of a running service, instead of one that this command starts
  --key KEY           API key, if that service requires one (or MENAGERIE_KEY)

Exit codes: 0 if the suite notices all bugs that it meets, 1 if it misses one, 2 if it cannot be graded: for invalid
usage, or if it fails without bugs.

Examples:
  menagerie grade -- npx vitest run
  menagerie grade --bugs petstore --report grade.html -- python3 -m pytest
  menagerie grade --jobs 1 -- npx newman run suite.json --env-var baseUrl={base}
`;

const OPTIONS = {
  bugs: { type: 'string' },
  contents: { type: 'string' },
  access: { type: 'string' },
  jobs: { type: 'string' },
  timeout: { type: 'string' },
  'show-output': { type: 'boolean' },
  report: { type: 'string', multiple: true },
  url: { type: 'string' },
  key: { type: 'string' },
} as const;

export async function grade(args: readonly string[]): Promise<void> {
  const end = args.indexOf('--');
  if (args.slice(0, end === -1 ? undefined : end).includes('--help')) return print(HELP);
  const stopping = stopOnSignal();
  const { signal } = stopping;
  try {
    const { values, positionals } = readCommandLine(args, OPTIONS, USAGE_LINE, [1, Infinity]);
    process.exitCode = await gradeSuite(positionals, values, signal);
  } catch (error) {
    if (!signal.aborted) printError(explain(error));
    // 1 would mean that the suite misses a bug.
    process.exitCode = signal.aborted ? STOPPED : USAGE;
  } finally {
    stopping.forget();
  }
}

async function gradeSuite(command: readonly string[], flags: Values<typeof OPTIONS>, signal: AbortSignal) {
  const options: GradingOptions = {
    command,
    bugs: (flags.bugs ?? 'all').split(','),
    contents: readChoice('contents', flags.contents, CONTENTS),
    access: readChoice('access', flags.access, ACCESS),
    jobs: readNumber('jobs', flags.jobs, MAX_JOBS) ?? Math.ceil(availableParallelism() / 2),
    timeoutMs: (readNumber('timeout', flags.timeout, MAX_TIMEOUT_SECONDS) ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    signal,
  };
  const files = flags.report ?? [];
  await requireWritable(files);
  const service = flags.url === undefined ? await startMemoryService() : connect(flags.url, flags.key);
  try {
    const grader = new Grader(createClient(service), options);
    const bugs = await grader.chooseBugs();
    const runs = await grader.runWithoutBugs();
    print(`Without bugs, the suite passes (${runs.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', ')}).\n`);
    const result = await grader.runWithBugs(bugs, (graded) => {
      const { outcome, output } = graded.run;
      print(linesOf(graded));
      if (outcome !== 'passed' && flags['show-output'] === true) print(`${output.trimEnd()}\n`);
    });
    for (const file of files) await writeReport(file, result);
    print(summaryOf(result));
    return result.bugs.some(({ verdict }) => verdict === 'missed') ? FAILED : 0;
  } finally {
    await service.stop();
  }
}

/** Before all runs, which take long. @throws UsageError */
async function requireWritable(files: readonly string[]): Promise<void> {
  for (const file of files) {
    if (!/\.(?:json|html)$/.test(file)) throw new UsageError('The name of a report must end with .json or .html.');
    await access(dirname(file)).catch(() => {
      throw new UsageError(`The folder of the report does not exist: ${dirname(file)}`);
    });
  }
}

/** @throws UsageError */
function connect(text: string, key = readCommandVariable('key')) {
  const url = plainUrl(text);
  if (url === undefined) throw new UsageError('--url must be a URL, without credentials, query and fragment.');
  const base = url.pathname === '/' ? new URL('/v2', url).href : url.href;
  return { base, ...(key !== undefined && { apiKey: key }), stop: () => Promise.resolve() };
}

function readChoice<T extends string>(name: string, text: string | undefined, choices: readonly [T, ...T[]]): T {
  const choice = choices.find((each) => each === (text ?? choices[0]));
  if (choice === undefined) throw new UsageError(`--${name} must be one of ${choices.join(', ')}.`);
  return choice;
}

function readNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text) || Number(text) > max)
    throw new UsageError(`--${name} must be a whole number from 1 to ${max}.`);
  return Number(text);
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof UnusableSuite || error instanceof MenagerieError)
    return error.message;
  if (error instanceof NetworkError) return `${error.message} Check that the service is running, and --url.`;
  return explainFailure(error);
}
