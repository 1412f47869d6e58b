import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import styles from './alt-field.module.css';

/** As the interface allows. */
const MAX_LENGTH = 1000;

interface AltFieldProps {
  alt: string | null;
  /** True when it was kept. */
  onSave: (alt: string) => Promise<boolean>;
}

/** What a picture shows, in words. It is saved when the field is left, or with Enter. */
export function AltField({ alt, onSave }: AltFieldProps) {
  const t = useTranslations('pictures.alt');
  const id = useId();
  // Undefined while nothing is typed: what others write appears by itself.
  const [draft, setDraft] = useState<string>();
  const [news, setNews] = useState<'saved' | 'unsaved'>();

  async function save() {
    if (draft === undefined) return;
    const text = draft.trim();
    if (text === (alt ?? '')) {
      setDraft(undefined);
      return;
    }
    const isSaved = await onSave(text);
    if (isSaved) setDraft((now) => (now === draft ? undefined : now));
    setNews(isSaved ? 'saved' : 'unsaved');
  }

  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{t('label')}</label>
      <input
        id={id}
        className={styles['input']}
        value={draft ?? alt ?? ''}
        maxLength={MAX_LENGTH}
        placeholder={t('example')}
        onChange={({ currentTarget }) => {
          setNews(undefined);
          setDraft(currentTarget.value);
        }}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // In a form, it would send the form.
          event.preventDefault();
          void save();
        }}
      />
      <span className={styles['news']} data-news={news} role="status">
        {news !== undefined && t(news)}
      </span>
    </div>
  );
}
