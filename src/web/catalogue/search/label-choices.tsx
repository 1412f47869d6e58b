import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { categoriesQuery, labelsQuery, tagsQuery } from '../../service/queries.ts';
import styles from './filters.module.css';
import { LabelCount } from './label-count.tsx';

/** So many are seen at once; the others on demand. */
const SHORT = { category: 8, tag: 14 } as const;

interface LabelChoicesProps {
  kind: 'category' | 'tag';
  chosen: readonly string[];
  onToggle: (name: string) => void;
  /** What else is to be said about the choice. */
  children?: ReactNode;
}

/** The kinds or the tags that pets have, the most used first. */
export function LabelChoices({ kind, chosen, onToggle, children }: LabelChoicesProps) {
  const t = useTranslations('catalogue.filters');
  const [text, setText] = useState('');
  const [isLong, setLong] = useState(false);
  const { data, isError } = useLabels(kind, text);
  const { all, canSearch } = data;
  const missing = chosen.filter((name) => text === '' && !all.some((label) => label.name === name));
  const labels = [...missing.map((name) => ({ name, count: undefined })), ...all];
  const shown =
    isLong || text !== '' ? labels : labels.filter(({ name }, place) => place < SHORT[kind] || chosen.includes(name));
  if (labels.length === 0 && !canSearch) return isError ? <p className={styles['note']}>{t('failed')}</p> : null;
  return (
    <fieldset className={styles['group']} data-kind={kind}>
      <legend>{t(kind)}</legend>
      {canSearch && (
        <input
          type="search"
          className={styles['find']}
          aria-label={t(`find.${kind}`)}
          placeholder={t(`find.${kind}`)}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div className={kind === 'tag' ? styles['pills'] : undefined}>
        {shown.map(({ name, count }) => (
          <label key={name} className={kind === 'tag' ? styles['pill'] : styles['choice']}>
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => onToggle(name)} />
            <span className={styles['name']}>{name}</span>
            <LabelCount count={count} />
          </label>
        ))}
      </div>
      {shown.length === 0 && <p className={styles['note']}>{t('noneFound')}</p>}
      {text === '' && labels.length > SHORT[kind] && (
        <button type="button" className={styles['more']} aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? t('fewer') : t('more', { count: labels.length })}
        </button>
      )}
      {children}
    </fieldset>
  );
}

/** All of them, as far as they are told; with a text, those of that name. */
function useLabels(kind: 'category' | 'tag', typed: string) {
  const text = useDeferredValue(typed.trim());
  const usual = useQuery(kind === 'tag' ? tagsQuery : categoriesQuery);
  const found = useQuery({ ...labelsQuery(kind, text), enabled: text !== '', placeholderData: keepPreviousData });
  const all = (text === '' ? usual.data : found.data) ?? [];
  return {
    // What has a comma in its name cannot be asked for as a tag.
    data: {
      all: kind === 'tag' ? all.filter(({ name }) => !name.includes(',')) : all,
      canSearch: (usual.data ?? []).length > SHORT[kind],
    },
    isError: usual.isError,
  };
}
