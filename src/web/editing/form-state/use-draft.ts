import { useEffect, useRef, useState } from 'react';
import { changedFields } from './pet-fields.ts';
import type { PetFormState } from './use-pet-form.ts';
import { deleteDraft, findDraft, saveDraft, type Attempt, type Draft } from './draft-storage.ts';

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

/** Debounce delay. */
const SAVE_DELAY_MS = 250;

/** Stores the input as a draft, and offers the draft of an earlier visit. */
export function useDraft(key: string, form: PetFormState): DraftState {
  const [offered, setOffered] = useState(() => findUnsaved(key, form));
  const [isStored, setStored] = useState(true);
  const [attempt, setAttempt] = useState<Attempt>();
  const isOver = useRef(false);
  const { base, typed, changed, continueFrom } = form;

  useEffect(() => {
    if (isOver.current) return undefined;
    // Keep the offered draft until the user decides, or until there is newer input to store.
    if (changed.length === 0) {
      if (offered === undefined) deleteDraft(key);
      return undefined;
    }
    const save = () => {
      if (!isOver.current) setStored(saveDraft(key, draftOf({ base, typed }, attempt)));
    };
    const timer = setTimeout(save, SAVE_DELAY_MS);
    window.addEventListener('pagehide', save);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', save);
    };
  }, [key, base, typed, changed.length, offered, attempt]);

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
    end() {
      isOver.current = true;
      deleteDraft(key);
    },
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
