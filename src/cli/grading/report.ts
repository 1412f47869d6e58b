import { writeFile } from 'node:fs/promises';
import { Failure } from '../../domain/failure.ts';
import { reasonOfFileError } from '../../server/system/system-errors.ts';
import { VERSION } from '../../server/system/version.ts';
import { plainText } from '../terminal/output.ts';
import { tableOf } from '../terminal/table.ts';
import type { GradedBug, Grading, Verdict } from './grader.ts';
import { reportPage } from './report-page.ts';

/* The result of a grading, as text, JSON and HTML. */

/** The line of a run on the terminal. */
export function linesOf({ id, verdict, met, run }: GradedBug): string {
  const times = met > 0 ? `, met by ${met} ${met === 1 ? 'request' : 'requests'}` : '';
  const how = run.outcome === 'timed out' ? ', timed out' : '';
  return plainText(`${id}  ${verdict}${times}${how} (${run.seconds.toFixed(1)} s)`) + '\n';
}

export function summaryOf(grading: Grading): string {
  const { bugs } = grading;
  const missed = bugs.filter(({ verdict }) => verdict === 'missed');
  const table = missed.length === 0 ? '' : `\nMissed bugs:\n${tableOf(...missedTable(missed))}`;
  const flaky = bugs.filter(({ verdict }) => verdict === 'flaky').map(({ id }) => id);
  const warning =
    flaky.length === 0 ? '' : `\nThe suite is flaky: it failed without having met ${plainText(flaky.join(', '))}.\n`;
  return `${table}${warning}\n${sentenceOf(grading)}\nFor a README: ${lineForReadme(grading)}\n`;
}

function missedTable(missed: readonly GradedBug[]): Parameters<typeof tableOf> {
  return [
    ['bug', 'group', 'met', 'description'],
    missed.map(({ id, group, met, description }) => [id, group, String(met), description]),
  ];
}

export function sentenceOf(grading: Grading): string {
  const { met, noticed, notMet } = totalsOf(grading);
  if (met === 0) return `The suite met none of the ${notMet} bugs.`;
  const others = notMet === 0 ? '' : ` It did not meet ${notMet} others.`;
  return `The suite noticed ${noticed} of the ${met} bugs that it met.${others}`;
}

export function lineForReadme(grading: Grading): string {
  const { met, noticed, planted } = totalsOf(grading);
  const day = grading.at.toISOString().slice(0, 10);
  return `**Planted bugs**: ${noticed} of ${met} met bugs noticed, of ${planted} planted (Menagerie ${VERSION}, ${day})`;
}

export function totalsOf({ bugs }: Grading) {
  const count = (...verdicts: readonly Verdict[]) => bugs.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    planted: bugs.length,
    met: count('noticed', 'missed'),
    noticed: count('noticed'),
    missed: count('missed'),
    notMet: count('not met', 'flaky'),
    flaky: count('flaky'),
  };
}

/** @throws Failure `invalid-input` if the file cannot be written */
export async function writeReport(file: string, grading: Grading): Promise<void> {
  const text = file.endsWith('.json') ? jsonReport(grading) : reportPage(grading, VERSION, sentenceOf(grading));
  await writeFile(file, text).catch((error: unknown) => {
    const reason = reasonOfFileError(error) ?? 'the system refuses it';
    throw new Failure('invalid-input', `The report ${file} cannot be written: ${reason}.`);
  });
}

function jsonReport(grading: Grading): string {
  const { command, at, bugs } = grading;
  const report = {
    menagerie: VERSION,
    at: at.toISOString(),
    command,
    totals: totalsOf(grading),
    readme: lineForReadme(grading),
    bugs: bugs.map(({ id, group, isPetstore, description, verdict, met, run: { outcome, seconds } }) => {
      return { id, group, petstore: isPetstore, description, verdict, met, suite: outcome, seconds };
    }),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
