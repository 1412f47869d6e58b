import { inTurn, type Bench, type Measurement } from './tools/measurement.ts';
import { Skipped } from './tools/processes.ts';
import { judge, summarise, type Result } from './tools/results.ts';

/** Runs one measurement. A failure is reported in its result, so that the others still run. */
export async function takeMeasurement(measurement: Measurement, bench: Bench): Promise<Result> {
  const { name, claim } = measurement;
  const known = { name, title: measurement.title(bench.scale), ...(claim !== undefined && { claim }) };
  bench.progress.say(name);
  try {
    const measured = summarise(
      'sides' in measurement ? await inTurn(bench, await measurement.sides(bench)) : await measurement.run(bench),
    );
    return { ...known, measured, verdict: judge(measured.median, claim) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...known, reason, verdict: error instanceof Skipped ? 'skipped' : 'FAILED' };
  }
}
