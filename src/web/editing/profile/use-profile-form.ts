import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { MenagerieError } from '../../../client/failures.ts';
import { deleteDraft, findStored } from '../form-state/draft-storage.ts';
import { pathInProfile, type ProfilePart } from '../form-state/saving.ts';
import { useStoring } from '../form-state/use-storing.ts';
import { problemsOf, refusedProblems, type ProfileProblem } from './profile-check.ts';
import { changedNames, patchOf, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';
import { mergeInputs, pick } from './profile-merge.ts';
import { profileQuery, type ReadInputs } from './profile-queries.ts';
import { OverlapError } from './save-profile.ts';

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
  /** Number of failed attempts. When it increases, the focus moves to the message. */
  failures: number;
}

interface StoredInputs {
  atMs: number;
  base: Inputs;
  etag?: string;
  mine: Inputs;
}

export interface ProfileForm extends ProfileValues, ProfilePart {
  mine: Inputs;
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
  /** The profile of a new pet, with what the user has decided when saving it. */
  decided: (isDraft: boolean) => ProfilePart;
  /** Ends a conflict. The user saves again afterwards. */
  keep: (side: 'mine' | 'theirs') => void;
  /** Reads the stored profile, which the page of the pet shows. Never throws. */
  readStored: (petId: string) => Promise<void>;
  /** Deletes the draft and stops storing it. */
  end: () => void;
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
  const fail = (part: Partial<ProfileValues>) =>
    setState((now) => ({ ...now, isTried: true, failures: now.failures + 1, ...part }));

  const partOf = (mine: Inputs): ProfilePart => ({
    mine,
    changesSince: (before) => changesBetween(before, mine, ownFields),
    async readChanges(petId) {
      if (changedNames(base.inputs, mine).length === 0) return undefined;
      const newest = await queries.fetchQuery({ ...profileQuery(petId), staleTime: 0 });
      const merged = mergeInputs(base.inputs, mine, newest.inputs);
      if (merged.overlapping.length > 0) throw new OverlapError(newest, merged.overlapping);
      return changesBetween(newest.inputs, merged.mine, ownFields);
    },
    report(error) {
      const outcome = outcomeOf(error, base.inputs, mine);
      if (outcome !== undefined) fail(outcome);
      return outcome !== undefined;
    },
  });

  return {
    ...state,
    ...partOf(mine),
    mine,
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
      fail({});
      return false;
    },
    decided: (isDraft) => partOf({ ...mine, isPublished: isDraft ? 'no' : '' }),
    readStored: (petId) => queries.prefetchQuery({ ...profileQuery(petId), staleTime: 0 }),
    keep: (side) =>
      setState((now) => {
        if (now.conflict === undefined) return now;
        const { newer, names } = now.conflict;
        const merged = mergeInputs(now.base.inputs, now.mine, newer.inputs).mine;
        return begun(newer, side === 'mine' ? merged : { ...merged, ...pick(newer.inputs, names) });
      }),
    end: drafts.end,
  };
}

function changesBetween(before: Inputs, after: Inputs, ownFields: readonly OwnField[]) {
  return changedNames(before, after).length === 0 ? undefined : patchOf(before, after, ownFields);
}

function begun(base: ReadInputs, mine: Inputs): ProfileValues {
  return { base, mine, isTried: false, refusals: [], conflict: undefined, failures: 0 };
}

/** Undefined if the error is not about the profile. */
function outcomeOf(error: unknown, base: Inputs, mine: Inputs): Partial<ProfileValues> | undefined {
  if (error instanceof OverlapError) return { conflict: error.conflict };
  if (!(error instanceof MenagerieError)) return undefined;
  const { status, retryAfterSeconds, message } = error;
  // With Retry-After, a request with the same idempotency key is in progress.
  const isTaken = status === CONFLICT && retryAfterSeconds === undefined;
  if (isTaken && changedNames(base, mine).includes('externalId'))
    return { refusals: refusedProblems([{ path: '/externalId', message }]) };
  const problems = error.errors.flatMap((problem) => {
    const path = pathInProfile(problem.path);
    return path === undefined ? [] : [{ ...problem, path }];
  });
  return problems.length === 0 ? undefined : { refusals: refusedProblems(problems) };
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
