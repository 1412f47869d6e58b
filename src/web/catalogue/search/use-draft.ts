import { useEffect, useRef, useState } from 'react';

/** The first letter after a pause is searched for at once, and what follows it when the typing pauses. */
const PAUSE_MS = 220;

/**
 * The typed text, ahead of the address. The address wins if it changes for another reason: a history step, or a removed
 * filter.
 */
export function useDraft(text: string, onSearch: (text: string) => void) {
  const [draft, setDraft] = useState(text);
  const [sent, setSent] = useState(text);
  const [seen, setSeen] = useState(text);
  /** The text to complete; undefined unless the user is typing. */
  const [typed, setTyped] = useState<string>();
  if (text !== seen) {
    setSeen(text);
    if (text !== sent) {
      setSent(text);
      setDraft(text);
      setTyped(undefined);
    }
  }
  const send = (next: string) => {
    if (next === sent) return;
    setSent(next);
    onSearch(next);
  };
  const complete = (next: string) => {
    send(next);
    setTyped(next);
  };
  const pause = (next: string) => {
    if (next !== sent) complete(next);
  };
  const onPause = useRef(pause);
  useEffect(() => {
    onPause.current = pause;
  });
  const lastChange = useRef(-Infinity);
  useEffect(() => {
    const now = performance.now();
    const paused = now - lastChange.current >= PAUSE_MS;
    lastChange.current = now;
    const timer = setTimeout(() => onPause.current(draft.trim()), paused ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return {
    text: draft,
    typed,
    type: setDraft,
    /** Completes the text without waiting for a pause. */
    complete: () => complete(draft.trim()),
    stopCompleting: () => setTyped(undefined),
    /** Searches for a text without waiting for a pause. */
    search: (next: string) => {
      setDraft(next);
      setTyped(undefined);
      send(next.trim());
    },
    /** Shows a text that another change of the address searches for. */
    show: (next: string) => {
      setDraft(next);
      setTyped(undefined);
      setSent(next);
    },
  };
}
