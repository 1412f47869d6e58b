import { useSyncExternalStore } from 'react';
import type { PetView } from '../../service/queries.ts';
import { changeAll, undoAll, type BulkChange, type BulkOutcome, type BulkRun } from './bulk-change.ts';
import { onLogout } from '../../service/reauthentication.ts';
import { noteOwnChanges } from '../../service/own-changes.ts';

/*
 * The bulk change in progress, and the report of the last one. It continues when the user leaves the page.
 */

export interface Work {
  change: BulkChange;
  isUndo: boolean;
  /** Progress from 0 to 1. */
  share: number;
  count: number;
  stop: () => void;
}

export interface Report {
  change: BulkChange;
  isUndo: boolean;
  isStopped: boolean;
  outcome: BulkOutcome;
}

interface State {
  work: Work | undefined;
  /** The report of a change that failed for some pets, until the user closes it. */
  report: Report | undefined;
}

let state: State = { work: undefined, report: undefined };
const listeners = new Set<() => void>();
onLogout(closeReport);

export function useBulkWork(): State {
  return useSyncExternalStore(subscribe, () => state);
}

/** Undefined if another change is in progress: there is one at a time. */
export function startChange(pets: readonly PetView[], change: BulkChange): Promise<Report> | undefined {
  noteOwnChanges(pets);
  return start({ change, isUndo: false, count: pets.length }, (run) => changeAll(pets, change, run));
}

export function startUndo({ change, outcome }: Report): Promise<Report> | undefined {
  return start({ change, isUndo: true, count: outcome.changed.length }, (run) => undoAll(outcome, change, run));
}

export function closeReport(): void {
  setState({ ...state, report: undefined });
}

function start(
  { change, isUndo, count }: Pick<Work, 'change' | 'isUndo' | 'count'>,
  carryOut: (run: BulkRun) => Promise<BulkOutcome>,
): Promise<Report> | undefined {
  if (state.work !== undefined) return undefined;
  const control = new AbortController();
  const work = { change, isUndo, count, share: 0, stop: () => control.abort() };
  setState({ work, report: undefined });
  const onProgress = (share: number) => setState({ ...state, work: { ...work, share } });
  return finish({ change, isUndo }, control.signal, carryOut({ signal: control.signal, onProgress }));
}

async function finish(
  about: Pick<Report, 'change' | 'isUndo'>,
  signal: AbortSignal,
  outcome: Promise<BulkOutcome>,
): Promise<Report> {
  try {
    const report = { ...about, outcome: await outcome, isStopped: signal.aborted };
    setState({ work: undefined, report: report.outcome.failed.length > 0 ? report : undefined });
    return report;
  } finally {
    if (state.work !== undefined) setState({ ...state, work: undefined });
  }
}

function setState(next: State): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}
