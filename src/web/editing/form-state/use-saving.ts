import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { MenagerieError } from '../../../client/failures.ts';
import { petQuery, PETS_KEY, type ReadPet } from '../../service/queries.ts';
import type { DraftState } from './use-draft.ts';
import { compareVersions, type ThreeVersions } from './three-way-merge.ts';
import { problemsOf, refusedProblems } from './pet-check.ts';
import { changedFields, type PetFields } from './pet-fields.ts';
import type { PetFormState } from './use-pet-form.ts';
import { addPet, changePet, pathInProfile, versionOf, type ProfilePart, type Version } from './saving.ts';

/** Another user saved first. */
export interface Conflict extends ThreeVersions {
  newer: Version;
}

export interface Saving {
  isSaving: boolean;
  /** Why the last attempt failed; undefined if it succeeded or if fields are invalid. */
  failure: unknown;
  /** Number of failed attempts. When it increases, the focus moves to the message. */
  failures: number;
  conflict: Conflict | undefined;
  /** @param isDraft of a new pet */
  save: (isDraft?: boolean) => Promise<ReadPet | undefined>;
  saveMerged: (fields: PetFields) => Promise<ReadPet | undefined>;
  /** Opens the comparison without trying to save. */
  compareWith: (newer: Version) => void;
  closeConflict: () => void;
}

interface SavingOptions {
  /** In digits; undefined for a new pet. */
  petId: string | undefined;
  form: PetFormState;
  drafts: DraftState;
  profile: ProfilePart & { decided: (isDraft: boolean) => ProfilePart };
}

const PRECONDITION_FAILED = 412;
const NOT_FOUND = 404;

/**
 * Saves the form and holds the outcome. A second click is ignored while a request is pending, and after a success: the
 * form stays until the next page is loaded.
 */
export function useSaving({ petId, form, drafts, profile }: SavingOptions): Saving {
  const queries = useQueryClient();
  const isPending = useRef(false);
  const [isSaving, setSaving] = useState(false);
  const [{ failure, failures }, setFailure] = useState<{ failure: unknown; failures: number }>({
    failure: undefined,
    failures: 0,
  });
  const [conflict, setConflict] = useState<Conflict>();
  const fail = (failure?: unknown) => setFailure(({ failures }) => ({ failure, failures: failures + 1 }));

  async function tryOnce(base: Version, fields: PetFields, part: ProfilePart): Promise<ReadPet | undefined> {
    if (isPending.current) return undefined;
    isPending.current = true;
    setSaving(true);
    form.refuse([]);
    try {
      const saved = await send({ petId, queries, drafts, profile: part }, base, fields);
      queries.setQueryData(petQuery(String(saved.pet.id)).queryKey, saved);
      void queries.invalidateQueries({ queryKey: PETS_KEY });
      return saved;
    } catch (error) {
      isPending.current = false;
      setSaving(false);
      if (error instanceof ConflictError) {
        setConflict(error.conflict);
        return undefined;
      }
      const isOfProfile = profile.report(error);
      const problems =
        error instanceof MenagerieError ? error.errors.filter(({ path }) => pathInProfile(path) === undefined) : [];
      if (problems.length > 0) form.refuse(refusedProblems(problems, fields));
      if (problems.length > 0 || !isOfProfile) fail(problems.length > 0 ? undefined : error);
      return undefined;
    }
  }

  return {
    isSaving,
    failure,
    failures,
    conflict,
    async save(isDraft) {
      form.showProblems();
      if (problemsOf(form.typed).length > 0) {
        fail();
        return undefined;
      }
      return tryOnce(form.base, form.typed, isDraft === undefined ? profile : profile.decided(isDraft));
    },
    async saveMerged(fields) {
      if (conflict === undefined) return undefined;
      const { newer } = conflict;
      setConflict(undefined);
      form.continueFrom(newer, fields);
      return tryOnce(newer, fields, profile);
    },
    compareWith: (newer) => setConflict({ base: form.base.fields, mine: form.typed, theirs: newer.fields, newer }),
    closeConflict: () => setConflict(undefined),
  };
}

interface SendDeps extends Pick<SavingOptions, 'petId' | 'drafts'> {
  queries: QueryClient;
  profile: ProfilePart;
}

/** @throws ConflictError if another user has changed a field of the pet, and errors of the profile */
async function send({ petId, queries, drafts, profile }: SendDeps, base: Version, fields: PetFields): Promise<ReadPet> {
  if (petId === undefined) return addPet(fields, profile, drafts.attempt, drafts.remember);
  try {
    // The profile is read after the base version: a change after that fails, because it also changes the pet.
    return await changePet(petId, base, fields, await profile.readChanges(petId));
  } catch (error) {
    if (!(error instanceof MenagerieError) || error.status !== PRECONDITION_FAILED) throw error;
    const newer = versionOf(await queries.fetchQuery({ ...petQuery(petId), staleTime: 0 }));
    const versions = { base: base.fields, mine: fields, theirs: newer.fields };
    const { onlyTheirs, overlapping } = compareVersions(versions);
    const hasOwn = changedFields(base.fields, fields).length > 0;
    if (hasOwn && onlyTheirs.length + overlapping.length > 0) throw new ConflictError({ ...versions, newer });
    // No field of the form has changed on one side; most likely a photo or the profile has.
    return changePet(petId, newer, hasOwn ? fields : newer.fields, await profile.readChanges(petId));
  }
}

export function isGone(failure: unknown): boolean {
  return failure instanceof MenagerieError && failure.status === NOT_FOUND;
}

/** Carries the versions to the dialog. */
class ConflictError extends Error {
  readonly conflict: Conflict;

  constructor(conflict: Conflict) {
    super('The pet has changed.');
    this.conflict = conflict;
  }
}
