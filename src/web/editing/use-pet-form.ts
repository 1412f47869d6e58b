import { useMemo, useState } from 'react';
import { changedFields, FIELD_NAMES, tidied, type FieldName, type PetFields } from './pet-fields.ts';
import { problemsOf, type Problem } from './pet-check.ts';
import { compareVersions, mergeVersions } from './merging/three-way.ts';
import type { Version } from './saving/saving.ts';
import { withTags } from './fields/tag-words.ts';

interface FormState {
  /** What the pet was when this was begun; a change is told against it. */
  base: Version;
  mine: PetFields;
  /** Typed into the field of tags, and not yet made one. */
  tagText: string;
  touched: ReadonlySet<FieldName>;
  /** Saving was tried: from now on everything that is wrong is told. */
  isTried: boolean;
  /** What the service has refused, until it is changed. */
  refusals: readonly Problem[];
  /** What others have changed meanwhile, and what has been taken over. */
  takenOver: readonly FieldName[];
}

export interface PetForm extends FormState {
  /** What would be saved: `mine` with the tag that is still being typed. */
  typed: PetFields;
  changed: readonly FieldName[];
  /** All that is wrong, told or not. */
  problems: readonly Problem[];
  /** What is told at the fields. */
  toldProblems: readonly Problem[];
  change: (part: Partial<PetFields>) => void;
  changeTagText: (text: string) => void;
  /** From now on everything that is wrong is told. */
  tellAll: () => void;
  refuse: (refusals: readonly Problem[]) => void;
  /** Goes on from other versions: from a draft that was kept, or from what a conflict came to. */
  goOn: (base: Version, mine: PetFields) => void;
  /** Takes a newer version of the pet into account, where nothing that was typed stands against it. */
  follow: (newer: Version) => void;
}

/** What stands in the form of a pet, and what is wrong with it. */
export function usePetForm(start: Version): PetForm {
  const [state, setState] = useState<FormState>(() => begun(start, start.fields));
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
    toldProblems: problems.filter(({ field }) => isTried || field === undefined || touched.has(field as FieldName)),
    change: (part) => setState((now) => changedState(now, part)),
    changeTagText: (text) => setState((now) => ({ ...touchedState(now, ['tags']), tagText: text })),
    tellAll: () => setState((now) => ({ ...now, isTried: true })),
    refuse: (refusals) => setState((now) => ({ ...now, refusals })),
    goOn: (base, mine) => setState((now) => ({ ...begun(base, mine), isTried: now.isTried })),
    follow: (newer) => setState((now) => followed(now, newer)),
  };
}

function begun(base: Version, mine: PetFields): FormState {
  return { base, mine, tagText: '', touched: new Set(), isTried: false, refusals: [], takenOver: [] };
}

function changedState(state: FormState, part: Partial<PetFields>): FormState {
  const fields = FIELD_NAMES.filter((field) => field in part);
  return { ...touchedState(state, fields), mine: { ...state.mine, ...part } };
}

function touchedState(state: FormState, fields: readonly FieldName[]): FormState {
  return {
    ...state,
    touched: new Set([...state.touched, ...fields]),
    refusals: state.refusals.filter(({ field }) => field !== undefined && !fields.includes(field as FieldName)),
  };
}

function followed(state: FormState, newer: Version): FormState {
  const versions = { base: state.base.fields, mine: state.mine, theirs: newer.fields };
  const { onlyTheirs, overlapping } = compareVersions(versions);
  // The version that was begun with stays: saving is refused then, and both versions are shown.
  if (newer.etag === state.base.etag || overlapping.length > 0) return state;
  const takenOver = FIELD_NAMES.filter((field) => onlyTheirs.includes(field) || state.takenOver.includes(field));
  return { ...state, base: newer, mine: mergeVersions(versions), takenOver };
}
