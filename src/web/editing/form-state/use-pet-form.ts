import { useMemo, useState } from 'react';
import { changedFields, FIELD_NAMES, tidied, type FieldName, type PetFields } from './pet-fields.ts';
import { problemsOf, type Problem } from './pet-check.ts';
import { compareVersions, mergeVersions } from './three-way-merge.ts';
import type { Version } from './saving.ts';
import { withTags } from './tag-words.ts';

interface FormValues {
  /** The version that editing started from; changes are relative to it. */
  base: Version;
  mine: PetFields;
  /** Text in the tags field that is not a tag yet. */
  tagText: string;
  touched: ReadonlySet<FieldName>;
  /** Set by the first attempt to save. From then on, all problems are shown. */
  isTried: boolean;
  /** Problems that the service reported. A problem is cleared when its field changes. */
  refusals: readonly Problem[];
  /** Fields taken over from newer versions. */
  takenOver: readonly FieldName[];
}

export interface PetFormState extends FormValues {
  /** The fields to save: `mine`, with the text of the tags field as a tag. */
  typed: PetFields;
  changed: readonly FieldName[];
  /** All problems, shown or not. */
  problems: readonly Problem[];
  /** Problems to show next to their fields. */
  shownProblems: readonly Problem[];
  change: (part: Partial<PetFields>) => void;
  changeTagText: (text: string) => void;
  /** Shows all problems from now on. */
  showProblems: () => void;
  refuse: (refusals: readonly Problem[]) => void;
  /** Continues from another version: a draft, or the result of a merge. */
  continueFrom: (base: Version, mine: PetFields) => void;
  /** Takes over a newer version of the pet, unless it conflicts with the form. */
  follow: (newer: Version) => void;
}

export function usePetForm(start: Version): PetFormState {
  const [state, setState] = useState<FormValues>(() => begun(start, start.fields));
  const { base, mine, tagText, touched, isTried, refusals } = state;
  const typed = useMemo(
    () => tidied({ ...mine, tags: withTags(mine.tags, tagText) }, base.fields),
    [mine, tagText, base.fields],
  );
  const problems = useMemo(() => [...problemsOf(typed), ...refusals], [typed, refusals]);
  return {
    ...state,
    typed,
    changed: changedFields(base.fields, typed),
    problems,
    shownProblems: problems.filter(({ field }) => isTried || field === undefined || touched.has(field as FieldName)),
    change: (part) => setState((now) => changedState(now, part)),
    changeTagText: (text) => setState((now) => ({ ...touchedState(now, ['tags']), tagText: text })),
    showProblems: () => setState((now) => ({ ...now, isTried: true })),
    refuse: (refusals) => setState((now) => ({ ...now, refusals })),
    continueFrom: (base, mine) => setState((now) => ({ ...begun(base, mine), isTried: now.isTried })),
    follow: (newer) => setState((now) => followed(now, newer)),
  };
}

function begun(base: Version, mine: PetFields): FormValues {
  return { base, mine, tagText: '', touched: new Set(), isTried: false, refusals: [], takenOver: [] };
}

function changedState(state: FormValues, part: Partial<PetFields>): FormValues {
  const fields = FIELD_NAMES.filter((field) => field in part);
  return { ...touchedState(state, fields), mine: { ...state.mine, ...part } };
}

function touchedState(state: FormValues, fields: readonly FieldName[]): FormValues {
  return {
    ...state,
    touched: new Set([...state.touched, ...fields]),
    refusals: state.refusals.filter(({ field }) => field !== undefined && !fields.includes(field as FieldName)),
  };
}

function followed(state: FormValues, newer: Version): FormValues {
  const versions = { base: state.base.fields, mine: state.mine, theirs: newer.fields };
  const { onlyTheirs, overlapping } = compareVersions(versions);
  // On a conflict the base stays, so that saving fails and shows both versions.
  if (newer.etag === state.base.etag || overlapping.length > 0) return state;
  const takenOver = FIELD_NAMES.filter((field) => onlyTheirs.includes(field) || state.takenOver.includes(field));
  return { ...state, base: newer, mine: mergeVersions(versions), takenOver };
}
