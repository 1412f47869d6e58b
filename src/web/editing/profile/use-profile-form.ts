import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { MenagerieError } from '../../../client/failures.ts';
import { deleteDraft, findStored, saveDraft } from '../form-state/draft-storage.ts';
import { useStoring } from '../form-state/use-storing.ts';
import { problemsOf, refusedProblems, type ProfileProblem } from './profile-check.ts';
import { changedNames, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';
import { mergeInputs, pick } from './profile-merge.ts';
import type { ReadInputs } from './profile-queries.ts';
import { saveProfile, OverlapError } from './save-profile.ts';

/** Someone else saved other values of these fields first. */
export interface ProfileConflict {
  newer: ReadInputs;
  names: readonly InputName[];
}

interface ProfileValues {
  base: ReadInputs;
  mine: Inputs;
  isTried: boolean;
  /** Problems that the service reported. A problem is cleared when its field changes. */
  refusals: readonly ProfileProblem[];
  conflict: ProfileConflict | undefined;
  /** Why the last attempt failed, unless fields are invalid. */
  failure: unknown;
  /** Number of failed attempts. When it increases, the focus moves to the message. */
  failures: number;
  isSaving: boolean;
}

interface StoredInputs {
  atMs: number;
  base: Inputs;
  etag?: string;
  mine: Inputs;
}

export interface ProfileForm extends ProfileValues {
  ownFields: readonly OwnField[];
  /** Whether something was typed. Values that a new pet starts with do not count. */
  hasInput: boolean;
  shownProblems: readonly ProfileProblem[];
  /** A draft from an earlier visit that the user has neither accepted nor refused. */
  offered: StoredInputs | undefined;
  isStored: boolean;
  accept: () => void;
  refuse: () => void;
  change: (name: InputName, text: string) => void;
  /** Shows all problems from now on. @returns whether there are none */
  validate: () => boolean;
  /** @returns whether the profile is saved. Without changes, it is. */
  save: (petId: string) => Promise<boolean>;
  /** Ends a conflict. The user saves again afterwards. */
  keep: (side: 'mine' | 'theirs') => void;
  /** Deletes the draft and stops storing it. */
  end: () => void;
  /** Moves the input to the draft of a pet, whose form offers it. */
  handOver: (key: string) => void;
}

interface ProfileFormOptions {
  start: ReadInputs;
  /** Values that a new pet starts with. */
  given?: Inputs | undefined;
  ownFields: readonly OwnField[];
  draftKey: string;
}

const CONFLICT = 409;

/** The state of the form of a profile: its inputs, draft and outcome. */
export function useProfileForm({ start, given, ownFields, draftKey: key }: ProfileFormOptions): ProfileForm {
  const queries = useQueryClient();
  const [state, setState] = useState<ProfileValues>(() => begun(start, { ...start.inputs, ...given }));
  const { base, mine, isTried, refusals } = state;
  const hasInput = changedNames({ ...base.inputs, ...given }, mine).length > 0;
  const problems = useMemo(
    () => [...problemsOf(base.inputs, mine, ownFields), ...refusals],
    [base.inputs, mine, ownFields, refusals],
  );
  const drafts = useProfileDraft(key, state, hasInput);
  const set = (part: Partial<ProfileValues>) => setState((now) => ({ ...now, ...part }));
  const fail = (part: Partial<ProfileValues>) =>
    setState((now) => ({ ...now, isTried: true, failures: now.failures + 1, isSaving: false, ...part }));

  return {
    ...state,
    ownFields,
    hasInput,
    shownProblems: isTried ? problems : refusals,
    offered: drafts.offered,
    isStored: drafts.isStored,
    accept: () => {
      if (drafts.offered === undefined) return;
      const { base, etag, mine } = drafts.offered;
      setState(begun({ inputs: base, etag }, mine));
      drafts.drop();
    },
    refuse: () => {
      deleteDraft(key);
      drafts.drop();
    },
    change: (name, text) =>
      setState((now) => ({
        ...now,
        mine: { ...now.mine, [name]: text },
        refusals: now.refusals.filter((problem) => problem.name !== name && problem.name !== undefined),
      })),
    validate() {
      if (problems.length === 0) return true;
      fail({ failure: undefined });
      return false;
    },
    async save(petId) {
      if (changedNames(base.inputs, mine).length === 0) return true;
      set({ isSaving: true, refusals: [], failure: undefined });
      try {
        await saveProfile({ queries, petId, ownFields }, base, mine);
        return true;
      } catch (error) {
        fail(outcomeOf(error, base.inputs, mine));
        return false;
      }
    },
    keep: (side) =>
      setState((now) => {
        if (now.conflict === undefined) return now;
        const { newer, names } = now.conflict;
        const merged = mergeInputs(now.base.inputs, now.mine, newer.inputs).mine;
        return begun(newer, side === 'mine' ? merged : { ...merged, ...pick(newer.inputs, names) });
      }),
    end: drafts.end,
    handOver(other) {
      drafts.end();
      saveDraft(other, storedInputs({ base: { inputs: {}, etag: undefined }, mine }));
    },
  };
}

function begun(base: ReadInputs, mine: Inputs): ProfileValues {
  const nothing = { isTried: false, refusals: [], conflict: undefined, failure: undefined };
  return { base, mine, ...nothing, failures: 0, isSaving: false };
}

function outcomeOf(error: unknown, base: Inputs, mine: Inputs): Partial<ProfileValues> {
  if (error instanceof OverlapError) return { conflict: error.conflict };
  if (!(error instanceof MenagerieError)) return { failure: error };
  if (error.errors.length > 0) return { refusals: refusedProblems(error.errors) };
  const isTaken = error.status === CONFLICT && changedNames(base, mine).includes('externalId');
  return isTaken
    ? { refusals: refusedProblems([{ path: '/externalId', message: error.message }]) }
    : { failure: error };
}

function useProfileDraft(key: string, { base, mine }: ProfileValues, hasInput: boolean) {
  const [offered, setOffered] = useState(() =>
    findStored<StoredInputs>(key, (stored) => typeof stored.mine === 'object' && typeof stored.base === 'object'),
  );
  const draft = useMemo(() => (hasInput ? storedInputs({ base, mine }) : undefined), [hasInput, base, mine]);
  return { offered, drop: () => setOffered(undefined), ...useStoring(key, draft, offered !== undefined) };
}

function storedInputs({ base, mine }: Pick<ProfileValues, 'base' | 'mine'>): StoredInputs {
  return { atMs: Date.now(), base: base.inputs, ...(base.etag !== undefined && { etag: base.etag }), mine };
}
