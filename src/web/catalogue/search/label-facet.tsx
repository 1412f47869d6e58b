import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useTranslations, useFormatter } from 'use-intl';
import { labelsQuery } from '../../service/queries.ts';
import { useWords } from '../../texts/words.ts';
import styles from './filters.module.css';
import type { FacetState } from './facets.ts';

/** Number of labels that are visible at first. */
const SHORT = { category: 8, tag: 14 } as const;

interface LabelFacetProps {
  kind: 'category' | 'tag';
  state: FacetState;
  chosen: readonly string[];
  onToggle: (name: string) => void;
  /** Further options of the facet. */
  children?: ReactNode;
}

/**
 * The categories or the tags, the most used first. The order is independent of the selection, so that nothing moves
 * under the pointer.
 */
export function LabelFacet({ kind, state, chosen, onToggle, children }: LabelFacetProps) {
  const t = useTranslations('catalogue.filters');
  const { label } = useWords();
  const [text, setText] = useState('');
  const [isLong, setLong] = useState(false);
  const { all, canSearch } = useLabels(kind, state, text);
  const missing = chosen.filter((name) => text === '' && !all.some((label) => label.name === name));
  const labels = [...missing.map((name) => ({ name, count: undefined })), ...all];
  const shown =
    isLong || text !== '' ? labels : labels.filter(({ name }, index) => index < SHORT[kind] || chosen.includes(name));
  if (labels.length === 0 && !canSearch) return state.isError ? <p className={styles['note']}>{t('failed')}</p> : null;
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
          <label key={name} className={kind === 'tag' ? styles['pill'] : styles['option']} data-empty={count === 0}>
            <input
              type="checkbox"
              className={kind === 'tag' ? 'covering' : undefined}
              checked={chosen.includes(name)}
              onChange={() => onToggle(name)}
            />
            <span className={styles['name']}>{label(name)}</span>
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

interface Label {
  name: string;
  /** The number of pets that match with it; undefined while it is unknown. */
  count: number | undefined;
}

/** All known labels, or those that match the text. */
function useLabels(kind: 'category' | 'tag', { facets, areCounted, amongAll }: FacetState, typed: string) {
  const text = useDeferredValue(typed.trim());
  const found = useQuery({ ...labelsQuery(kind, text), enabled: text !== '', placeholderData: keepPreviousData });
  const usual = (kind === 'tag' ? facets?.tags : facets?.categories) ?? [];
  const counts = new Map(areCounted ? usual.map(({ name, count }) => [name, count]) : []);
  // Rare labels are counted among all pets only.
  const rareCount = (count: number) => (amongAll[kind] ? count : undefined);
  const all: readonly Label[] =
    text === ''
      ? usual.map(({ name }) => ({ name, count: counts.get(name) }))
      : (found.data ?? []).map(({ name, count }) => ({ name, count: counts.get(name) ?? rareCount(count) }));
  return {
    // The API separates tags by commas.
    all: kind === 'tag' ? all.filter(({ name }) => !name.includes(',')) : all,
    canSearch: usual.length > SHORT[kind],
  };
}

/** The number of pets that match, if it is known. Screen readers read it with its unit. */
export function LabelCount({ count }: { count: number | undefined }) {
  const t = useTranslations('catalogue.filters');
  const format = useFormatter();
  if (count === undefined) return null;
  return (
    <span className={styles['count']}>
      <span aria-hidden="true">{format.number(count)}</span>
      <span className="visually-hidden">{t('count', { count })}</span>
    </span>
  );
}
