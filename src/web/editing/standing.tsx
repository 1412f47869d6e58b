import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';

interface StandingProps {
  isSaving: boolean;
  hasUnsaved: boolean;
  isKept: boolean;
}

/** How it stands with what was typed. Read out when it changes, once one has stopped typing. */
export function Standing({ isSaving, hasUnsaved, isKept }: StandingProps) {
  const t = useTranslations('editing');
  const text = isSaving ? 'saving' : hasUnsaved ? (isKept ? 'unsaved' : 'notKept') : undefined;
  return <span role="status">{text !== undefined && t(text)}</span>;
}

export function useOnline(): boolean {
  return useSyncExternalStore(followConnection, () => navigator.onLine);
}

function followConnection(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
