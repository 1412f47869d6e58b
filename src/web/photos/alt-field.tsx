import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import styles from './alt-field.module.css';

/** The limit of the API. */
const MAX_LENGTH = 1000;

interface AltFieldProps {
  alt: string | null;
  /** Resolves to true if it was saved. */
  onSave: (alt: string) => Promise<boolean>;
}

/** The alternative text of a photo. It is saved on blur or Enter. */
export function AltField({ alt, onSave }: AltFieldProps) {
  const t = useTranslations('photos.alt');
  const id = useId();
  const { text, result, change, save } = useSavedText(alt ?? '', onSave);
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{t('label')}</label>
      <input
        id={id}
        className={styles['input']}
        value={text}
        maxLength={MAX_LENGTH}
        placeholder={t('example')}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would submit the surrounding form.
          event.preventDefault();
          void save();
        }}
      />
      <span className={styles['news']} data-news={result} role="status">
        {result !== undefined && t(result)}
      </span>
    </div>
  );
}

/** A text that is edited in place. */
function useSavedText(saved: string, onSave: AltFieldProps['onSave']) {
  // Undefined while the field is not edited, so that changes of other users appear.
  const [draft, setDraft] = useState<string>();
  const sending = useRef<string>(undefined);
  const [result, setResult] = useState<'saved' | 'unsaved'>();
  return {
    text: draft ?? saved,
    result,
    change: (text: string) => {
      setResult(undefined);
      setDraft(text);
    },
    save: async () => {
      if (draft === undefined) return;
      const text = draft.trim();
      if (text === saved) {
        setDraft(undefined);
        return;
      }
      // Enter, and the blur that follows it.
      if (text === sending.current) return;
      sending.current = text;
      const isSaved = await onSave(text);
      sending.current = undefined;
      if (isSaved) setDraft((now) => (now === draft ? undefined : now));
      setResult(isSaved ? 'saved' : 'unsaved');
    },
  };
}
