import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Match } from '../../transfer/pet-matching.ts';
import type { Question } from '../../transfer/profiles/conventions.ts';
import type { Import, ProblemGroups, RowResult } from '../../transfer/row-result.ts';
import {
  checkFile,
  rowsOf,
  Tally,
  type Checked,
  type Columns,
  type Counts,
  type ImportSettings,
} from './import-file.ts';

export type ImportState =
  | { phase: 'empty' }
  | { phase: 'checking' }
  | { phase: 'failed'; error: unknown }
  | { phase: 'checked'; file: File; checked: Checked }
  | { phase: 'running'; done: number; total: number; stop: () => void }
  | { phase: 'done'; report: ImportReport };

export interface ImportReport {
  counts: Counts;
  total: number;
  results: readonly RowResult[];
  problems: ProblemGroups;
  isCancelled: boolean;
  /** Why the import ended early. */
  error: unknown;
}

/** How often the page shows progress. */
const SHOWN_EVERY_MS = 100;

/** The check and the import of one file. Leaving the page ends an import after its current batch. */
export function useImport() {
  const queries = useQueryClient();
  const [state, setState] = useState<ImportState>({ phase: 'empty' });
  const [columns, setColumns] = useState<Columns>();
  const [match, setMatch] = useState<Match>('id');
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const control = useRef(new AbortController());
  const started = useRef<Import>(undefined);
  useEffect(() => () => control.current.abort(), []);

  function begin(): AbortSignal {
    control.current.abort();
    control.current = new AbortController();
    return control.current.signal;
  }

  function stop(): void {
    control.current.abort();
  }

  function check(file: File | undefined, settings: ImportSettings): void {
    const signal = begin();
    if (settings.match !== undefined) setMatch(settings.match);
    if (file === undefined) {
      setColumns(undefined);
      setQuestions([]);
      return setState({ phase: 'empty' });
    }
    setState({ phase: 'checking' });
    const onColumns = (found: Columns | undefined, used: Match) => {
      if (signal.aborted) return;
      setColumns(found);
      setMatch(used);
    };
    const onQuestions = (found: readonly Question[]) => {
      if (!signal.aborted) setQuestions(found);
    };
    checkFile(file, settings, { onColumns, onQuestions, signal }).then(
      (checked) => !signal.aborted && setState({ phase: 'checked', file, checked }),
      (error: unknown) => !signal.aborted && setState({ phase: 'failed', error }),
    );
  }

  async function run(file: File, { work, table, map, conventions, total }: Checked): Promise<void> {
    // A second click, before the first one is rendered.
    if (started.current === work) return;
    started.current = work;
    const signal = begin();
    const tally = new Tally();
    const results: RowResult[] = [];
    let error: unknown;
    let shownAtMs = 0;
    setState({ phase: 'running', done: 0, total, stop });
    try {
      for await (const result of work.run(rowsOf(file, table, { map, conventions }), signal)) {
        tally.add(result);
        results.push(result);
        if (performance.now() - shownAtMs < SHOWN_EVERY_MS) continue;
        shownAtMs = performance.now();
        setState({ phase: 'running', done: results.length, total, stop });
      }
    } catch (caught) {
      error = caught;
    }
    const { counts, problems } = tally;
    setState({ phase: 'done', report: { counts, total, results, problems, isCancelled: signal.aborted, error } });
    void queries.invalidateQueries();
  }

  return { state, columns, match, questions, check, run };
}
