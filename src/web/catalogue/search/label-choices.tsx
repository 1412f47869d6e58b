import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { useTranslations, useFormatter } from 'use-intl';
import { labelsQuery } from '../../service/queries.ts';
import styles from './filters.module.css';
import { isEmpty, type ChoiceCount, type KnownChoices } from './pet-choices.ts';

/** So many are seen at once; the others on demand. */
const SHORT = { category: 8, tag: 14 } as const;

interface LabelChoicesProps {
  kind: 'category' | 'tag';
  known: KnownChoices;
  chosen: readonly string[];
  onToggle: (name: string) => void;
  /** What else is to be said about the choice. */
  children?: ReactNode;
}

/** The kinds or the tags that pets have, the most used first, whatever is chosen: nothing changes its place under one's hand. */
export function LabelChoices({ kind, known, chosen, onToggle, children }: LabelChoicesProps) {
  const t = useTranslations('catalogue.filters');
  const [text, setText] = useState('');
  const [isLong, setLong] = useState(false);
  const { all, canSearch } = useLabels(kind, known, text);
  const missing = chosen.filter((name) => text === '' && !all.some((label) => label.name === name));
  const labels = [...missing.map((name) => ({ name, counted: undefined })), ...all];
  const shown =
    isLong || text !== '' ? labels : labels.filter(({ name }, place) => place < SHORT[kind] || chosen.includes(name));
  if (labels.length === 0 && !canSearch) return known.isError ? <p className={styles['note']}>{t('failed')}</p> : null;
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
        {shown.map(({ name, counted }) => (
          <label
            key={name}
            className={kind === 'tag' ? styles['pill'] : styles['choice']}
            data-empty={isEmpty(counted)}
          >
            <input type="checkbox" checked={chosen.includes(name)} onChange={() => onToggle(name)} />
            <span className={styles['name']}>{name}</span>
            <LabelCount counted={counted} />
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
  counted: ChoiceCount | undefined;
}

/** All of them, as far as they are told; with a text, those of that name. */
function useLabels(kind: 'category' | 'tag', { choices, areCounted, amongAll }: KnownChoices, typed: string) {
  const text = useDeferredValue(typed.trim());
  const found = useQuery({ ...labelsQuery(kind, text), enabled: text !== '', placeholderData: keepPreviousData });
  const usual = (kind === 'tag' ? choices?.tags : choices?.categories) ?? [];
  const counts = new Map(areCounted ? usual.map((choice) => [choice.name, choice]) : []);
  // What is rare is counted among all pets only.
  const rareCount = (count: number) => (amongAll[kind] ? { count, exact: true } : undefined);
  const all: readonly Label[] =
    text === ''
      ? usual.map(({ name }) => ({ name, counted: counts.get(name) }))
      : (found.data ?? []).map(({ name, count }) => ({ name, counted: counts.get(name) ?? rareCount(count) }));
  return {
    // What has a comma in its name cannot be asked for as a tag.
    all: kind === 'tag' ? all.filter(({ name }) => !name.includes(',')) : all,
    canSearch: usual.length > SHORT[kind],
  };
}

/** The number of pets that match, if it is exact. Screen readers get it with its unit. */
export function LabelCount({ counted }: { counted: ChoiceCount | undefined }) {
  const t = useTranslations('catalogue.filters');
  const format = useFormatter();
  if (counted?.exact !== true) return null;
  const { count } = counted;
  return (
    <span className={styles['count']}>
      <span aria-hidden="true">{format.number(count)}</span>
      <span className="visually-hidden">{t('count', { count })}</span>
    </span>
  );
}
