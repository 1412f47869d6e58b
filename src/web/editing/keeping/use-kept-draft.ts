import { useEffect, useRef, useState } from 'react';
import { changedFields } from '../pet-fields.ts';
import type { PetFormState } from '../use-pet-form.ts';
import { dropDraft, findDraft, keepDraft, type Attempt, type KeptDraft } from './kept-drafts.ts';

export interface DraftKeeper {
  /** What was not saved the last time, until one has decided about it. */
  offered: KeptDraft | undefined;
  accept: () => void;
  refuse: () => void;
  /** Does the browser keep what is typed? */
  isKept: boolean;
  /** Nothing is kept any more: it is saved, or was given up. */
  end: () => void;
  /** The last try to add the pet, if nobody knows what became of it. */
  attempt: Attempt | undefined;
  remember: (attempt: Attempt | undefined) => void;
}

/** Soon enough that nobody misses a word, and not with every key. */
const KEEP_AFTER_MS = 250;

/** Keeps what is typed, and finds what was kept. */
export function useKeptDraft(key: string, form: PetFormState): DraftKeeper {
  const [offered, setOffered] = useState(() => findUnsaved(key, form));
  const [isKept, setKept] = useState(true);
  const [attempt, setAttempt] = useState<Attempt>();
  const isOver = useRef(false);
  const { base, typed, changed, continueFrom } = form;

  useEffect(() => {
    if (isOver.current) return undefined;
    // What is offered stays until it is decided about, or until there is something newer to keep.
    if (changed.length === 0) {
      if (offered === undefined) dropDraft(key);
      return undefined;
    }
    const keep = () => {
      if (!isOver.current) setKept(keepDraft(key, draftOf({ base, typed }, attempt)));
    };
    const timer = setTimeout(keep, KEEP_AFTER_MS);
    window.addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', keep);
    };
  }, [key, base, typed, changed.length, offered, attempt]);

  return {
    offered,
    isKept,
    attempt,
    accept() {
      if (offered === undefined) return;
      continueFrom({ fields: offered.base, ...(offered.etag !== undefined && { etag: offered.etag }) }, offered.mine);
      setAttempt(offered.attempt);
      setOffered(undefined);
    },
    refuse() {
      dropDraft(key);
      setOffered(undefined);
    },
    end() {
      isOver.current = true;
      dropDraft(key);
    },
    remember(next) {
      // At once: if everything ends while it is on its way, the next try has to know of it.
      keepDraft(key, draftOf({ base, typed }, next));
      setAttempt(next);
    },
  };
}

function findUnsaved(key: string, { base }: PetFormState): KeptDraft | undefined {
  const draft = findDraft(key);
  return draft !== undefined && changedFields(base.fields, draft.mine).length > 0 ? draft : undefined;
}

function draftOf({ base, typed }: Pick<PetFormState, 'base' | 'typed'>, attempt: Attempt | undefined): KeptDraft {
  return {
    atMs: Date.now(),
    base: base.fields,
    ...(base.etag !== undefined && { etag: base.etag }),
    mine: typed,
    ...(attempt !== undefined && { attempt }),
  };
}
