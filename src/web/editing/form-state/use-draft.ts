import { useMemo, useState } from 'react';
import { changedFields } from './pet-fields.ts';
import type { PetFormState } from './use-pet-form.ts';
import { deleteDraft, findDraft, saveDraft, type Attempt, type Draft } from './draft-storage.ts';
import { useStoring } from './use-storing.ts';

export interface DraftState {
  /** A draft from an earlier visit that the user has neither accepted nor refused. */
  offered: Draft | undefined;
  accept: () => void;
  refuse: () => void;
  /** False if the browser does not store drafts. */
  isStored: boolean;
  /** Deletes the draft and stops storing it. */
  end: () => void;
  /** The last attempt to create the pet, if its outcome is unknown. */
  attempt: Attempt | undefined;
  remember: (attempt: Attempt | undefined) => void;
}

/** Stores the input as a draft, and offers the draft of an earlier visit. */
export function useDraft(key: string, form: PetFormState): DraftState {
  const [offered, setOffered] = useState(() => findUnsaved(key, form));
  const [attempt, setAttempt] = useState<Attempt>();
  const { base, typed, changed, continueFrom } = form;
  const hasChanges = changed.length > 0;
  const draft = useMemo(
    () => (hasChanges ? draftOf({ base, typed }, attempt) : undefined),
    [hasChanges, base, typed, attempt],
  );
  const { isStored, end } = useStoring(key, draft, offered !== undefined);

  return {
    offered,
    isStored,
    attempt,
    accept() {
      if (offered === undefined) return;
      continueFrom({ fields: offered.base, ...(offered.etag !== undefined && { etag: offered.etag }) }, offered.mine);
      setAttempt(offered.attempt);
      setOffered(undefined);
    },
    refuse() {
      deleteDraft(key);
      setOffered(undefined);
    },
    end,
    remember(next) {
      // Synchronous: if the page closes before the response, the next attempt needs the key.
      saveDraft(key, draftOf({ base, typed }, next));
      setAttempt(next);
    },
  };
}

function findUnsaved(key: string, { base }: PetFormState): Draft | undefined {
  const draft = findDraft(key);
  return draft !== undefined && changedFields(base.fields, draft.mine).length > 0 ? draft : undefined;
}

function draftOf({ base, typed }: Pick<PetFormState, 'base' | 'typed'>, attempt: Attempt | undefined): Draft {
  return {
    atMs: Date.now(),
    base: base.fields,
    ...(base.etag !== undefined && { etag: base.etag }),
    mine: typed,
    ...(attempt !== undefined && { attempt }),
  };
}
