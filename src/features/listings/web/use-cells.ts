import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { listingPetsQuery, type ListingPetView } from './listing-queries.ts';
import { showNotice } from '../../../web/design/notices.ts';
import { problemsOf, refusedProblems, type ProfileProblem } from '../../../web/editing/profile/profile-check.ts';
import { changedNames, inputsOf, type InputName, type Inputs } from '../../../web/editing/profile/profile-inputs.ts';
import { pick } from '../../../web/editing/profile/profile-merge.ts';
import { useLabelOf } from '../../../web/editing/profile/profile-words.ts';
import { OverlapError, saveListed } from '../../../web/editing/profile/save-profile.ts';
import { isConnectionFailure, useFailureText } from '../../../web/service/failure-text.ts';
import { judgeAgain, type RequiredField, type Site } from './judged-pets.ts';

/** A row of the table. */
export interface Row {
  typed: Inputs;
  problems: readonly ProfileProblem[];
  isSaving: boolean;
}

const EMPTY: Row = { typed: {}, problems: [], isSaving: false };

interface Waiting {
  pet: ListingPetView;
  typed: Inputs;
}

/** The typed values of the rows. Rows are sent one after the other, in the order in which they were saved. */
export function useCells(site: Site) {
  const queries = useQueryClient();
  const [rows, setRows] = useState<ReadonlyMap<bigint, Row>>(new Map());
  const waiting = useRef<Waiting[]>([]);
  const isRunning = useRef(false);
  const report = useReports();

  const rowOf = (id: bigint) => rows.get(id) ?? EMPTY;
  const update = (id: bigint, change: (row: Row) => Row) =>
    setRows((before) => new Map(before).set(id, change(before.get(id) ?? EMPTY)));

  const change = (id: bigint, name: RequiredField, text: string) =>
    update(id, ({ typed, problems, isSaving }) => ({
      typed: { ...typed, [name]: text },
      problems: problems.filter((problem) => problem.name !== name),
      isSaving,
    }));

  async function run(): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    while (waiting.current.length > 0) {
      const sent = waiting.current.splice(0);
      const { changed, refused } = await saveRows(queries, sent, report);
      await judgeAgain(queries, site, changed).catch(report.reading);
      void queries.invalidateQueries({ queryKey: listingPetsQuery(site).queryKey });
      for (const { pet, typed } of sent)
        update(pet.id, (row) => ({
          typed: changed.has(pet.id) ? without(row.typed, typed) : row.typed,
          problems: refused.get(pet.id) ?? [],
          isSaving: false,
        }));
    }
    isRunning.current = false;
  }

  /** @returns whether nothing that was typed is refused before it is sent */
  const save = (pets: readonly ListingPetView[]): boolean => {
    const judged = pets.map((pet) => ({ pet, typed: rowOf(pet.id).typed, problems: problemsIn(pet, rowOf(pet.id)) }));
    for (const { pet, typed, problems } of judged) {
      const isSent = problems.length === 0 && isTyped(typed) && !rowOf(pet.id).isSaving;
      update(pet.id, (row) => ({ ...row, problems, isSaving: row.isSaving || isSent }));
      if (isSent) waiting.current.push({ pet, typed });
    }
    void run();
    return judged.every(({ problems }) => problems.length === 0);
  };

  return { rowOf, change, save };
}

export function isTyped(typed: Inputs): boolean {
  return changedNames({}, typed).length > 0;
}

function problemsIn({ profile }: ListingPetView, { typed }: Row): readonly ProfileProblem[] {
  const shown = inputsOf(profile);
  return problemsOf(shown, { ...shown, ...typed }, []);
}

/** Keeps the text that was typed after these inputs were sent. */
function without(typed: Inputs, sent: Inputs): Inputs {
  return Object.fromEntries(Object.entries(typed).filter(([name, text]) => sent[name as InputName] !== text));
}

interface Saved {
  /** The pets whose profile is now another one. */
  changed: Set<bigint>;
  refused: Map<bigint, readonly ProfileProblem[]>;
}

/** Without a connection, the remaining rows are not tried. */
async function saveRows(queries: QueryClient, sent: readonly Waiting[], report: Reports): Promise<Saved> {
  const saved: Saved = { changed: new Set(), refused: new Map() };
  for (const { pet, typed } of sent)
    try {
      await saveListed(queries, String(pet.id), inputsOf(pet.profile), pick(typed, changedNames({}, typed)));
      saved.changed.add(pet.id);
    } catch (error) {
      const problems = error instanceof MenagerieError ? refusedProblems(error.errors) : [];
      if (problems.length > 0) saved.refused.set(pet.id, problems);
      else report.saving(pet, error);
      if (isConnectionFailure(error)) return saved;
      if (error instanceof OverlapError || isGone(error)) saved.changed.add(pet.id);
    }
  return saved;
}

function isGone(error: unknown): boolean {
  return error instanceof MenagerieError && error.code === 'not-found';
}

type Reports = ReturnType<typeof useReports>;

function useReports() {
  const t = useTranslations('administration.listings.missing');
  const labelOf = useLabelOf([]);
  const failureText = useFailureText();
  return {
    saving({ name }: ListingPetView, error: unknown): void {
      if (!(error instanceof OverlapError))
        return showNotice({ text: t('failed', { name, why: failureText(error) }), isError: true, replaces: 'cells' });
      const fields = error.conflict.names.map(labelOf).join(', ');
      return showNotice({ text: t('changed', { name, fields }), isError: true });
    },
    reading: (error: unknown) => showNotice({ text: failureText(error), isError: true }),
  };
}
