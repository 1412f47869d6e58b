import { useEffect, useRef, useState } from 'react';
import { deleteDraft, saveDraft } from './draft-storage.ts';

interface Storing {
  /** False if the browser does not store drafts. */
  isStored: boolean;
  /** Deletes the draft and stops storing it. */
  end: () => void;
}

/** Debounce delay. */
const SAVE_DELAY_MS = 250;

/**
 * Stores a draft while there is one, and deletes it when there is none any more.
 *
 * @param draft undefined if nothing is unsaved
 * @param isOffered whether the user has not decided yet about the stored draft, which stays until there is newer input
 */
export function useStoring(key: string, draft: object | undefined, isOffered: boolean): Storing {
  const [isStored, setStored] = useState(true);
  const isOver = useRef(false);
  useEffect(() => {
    if (isOver.current) return undefined;
    if (draft === undefined) {
      if (!isOffered) deleteDraft(key);
      return undefined;
    }
    const save = () => {
      if (!isOver.current) setStored(saveDraft(key, { ...draft, atMs: Date.now() }));
    };
    const timer = setTimeout(save, SAVE_DELAY_MS);
    window.addEventListener('pagehide', save);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', save);
    };
  }, [key, draft, isOffered]);
  return {
    isStored,
    end() {
      isOver.current = true;
      deleteDraft(key);
    },
  };
}
