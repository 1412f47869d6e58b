import type { EventData } from 'node:test';
import { declaredPlaceOf } from '../support/declared-place.ts';

/* Loaded by Node into each test process (`--test-reporter`): sends the outcome of every test to the runner. */

export interface Outcome {
  name: string;
  /** The names of the enclosing tests and suites, outermost first. The first is the test file; a file has none. */
  path: readonly string[];
  /** The place of its declaration. */
  file: string;
  line: number;
  tookMs: number;
  kind: 'pass' | 'fail' | 'skip' | 'todo';
  isSuite: boolean;
  /** Set for a failure of the test itself, not of a subtest. */
  error?: { reason: string; stack: string };
}

interface Event {
  type: string;
  data: unknown;
}

// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* sendOutcomes(source: AsyncIterable<Event>): AsyncGenerator<string> {
  const names: string[] = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      const { name, nesting } = data as EventData.TestStart;
      names[nesting] = name;
    } else if (type === 'test:pass' || type === 'test:fail') {
      const event = data as EventData.TestPass | EventData.TestFail;
      process.send?.(outcomeOf(event, names.slice(0, event.nesting)));
    } else if (type === 'test:diagnostic') {
      const { nesting, message } = data as EventData.TestDiagnostic;
      // Outermost diagnostics are totals, which the runner counts itself.
      if (nesting > 0) yield `ℹ ${message}\n`;
    }
  }
}

function outcomeOf(data: EventData.TestPass | EventData.TestFail, path: readonly string[]): Outcome {
  const { name, file = '', line = 0, details } = data;
  const kind = kindOf(data);
  const error = kind === 'fail' && 'error' in details ? errorOf(details.error) : undefined;
  const isSuite = details.type === 'suite';
  const declared = 'error' in details ? declaredPlaceOf(details.error.cause) : undefined;
  const place = declared ?? { file, line };
  return { name, path, ...place, tookMs: details.duration_ms, kind, isSuite, ...(error !== undefined && { error }) };
}

function kindOf({ skip, todo, details }: EventData.TestPass | EventData.TestFail): Outcome['kind'] {
  if (skip !== undefined && skip !== false) return 'skip';
  if (todo !== undefined && todo !== false) return 'todo';
  return 'error' in details ? 'fail' : 'pass';
}

/** Node wraps what a test threw. */
function errorOf(wrapper: Error & { failureType?: string }): Outcome['error'] {
  if (wrapper.failureType === 'subtestsFailed') return undefined;
  const cause = wrapper.cause ?? wrapper;
  if (!(cause instanceof Error)) return { reason: wrapper.message, stack: wrapper.message };
  const { message, stack = message } = cause;
  const inner = cause.cause instanceof Error ? `\nCaused by: ${cause.cause.stack ?? cause.cause.message}` : '';
  return { reason: message, stack: stack + inner };
}
