import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { StatusBadge } from '../design/badge.tsx';
import { changedNames, inputsOf, type OwnField } from '../editing/profile/profile-inputs.ts';
import { useLabelOf, useValueOrAbsence } from '../editing/profile/profile-words.ts';
import { ownFieldsQuery } from '../service/queries.ts';
import { compareLists } from './differences.ts';
import styles from './field-differences.module.css';
import type { FieldChange } from './history-queries.ts';
import { Thumbnail } from './thumbnail.tsx';

const ORDER: readonly FieldChange['field'][] = ['name', 'status', 'category', 'tags', 'photoUrls', 'profile'];

interface DifferencesProps {
  changes: readonly FieldChange[];
  /** Before the changes, the pet did not exist. */
  isNew?: boolean;
}

/** The old and the new value of each changed field. */
export function FieldDifferences({ changes, isNew = false }: DifferencesProps) {
  const t = useTranslations('history.field');
  const sorted = changes.toSorted((a, b) => ORDER.indexOf(a.field) - ORDER.indexOf(b.field));
  return (
    <dl className="stack">
      {sorted.map((change) => (
        <div key={change.field} className={styles['field']}>
          <dt>{t(change.field)}</dt>
          <dd>
            <Difference change={change} isNew={isNew} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Difference({ change, isNew }: { change: FieldChange; isNew: boolean }) {
  const { field } = change;
  if (field === 'tags') return <TagsDifference before={change.before ?? []} after={change.after ?? []} />;
  if (field === 'photoUrls') return <PhotosDifference before={change.before ?? []} after={change.after ?? []} />;
  if (field === 'name') return <BeforeAfter before={change.before} after={change.after} />;
  if (field === 'category') return <BeforeAfter before={labelOf(change.before)} after={labelOf(change.after)} />;
  if (field === 'profile')
    return <ProfileDifference before={isNew ? undefined : (change.before ?? {})} after={change.after ?? {}} />;
  const { before, after } = change;
  return <BeforeAfter before={<Status status={before} />} after={<Status status={after} />} />;
}

function Status({ status }: { status: Extract<FieldChange, { field: 'status' }>['before'] }) {
  const t = useTranslations('pet.status');
  return status === undefined ? (
    <span className={styles['nothing']}>{t('none')}</span>
  ) : (
    <StatusBadge status={status} />
  );
}

type Label = NonNullable<Extract<FieldChange, { field: 'category' }>['before']>;

/** In Petstore, a category or a tag may have an ID only. */
function labelOf(label: Label | undefined): string | undefined {
  if (label === undefined) return undefined;
  return label.name ?? (label.id === undefined ? undefined : `#${label.id}`);
}

type Profile = NonNullable<Extract<FieldChange, { field: 'profile' }>['before']>;

const NO_FIELDS: readonly OwnField[] = [];

/** @param before undefined if the pet did not exist */
function ProfileDifference({ before, after }: { before: Profile | undefined; after: Profile }) {
  const { data: ownFields = NO_FIELDS } = useQuery(ownFieldsQuery);
  const labelOf = useLabelOf(ownFields);
  const valueText = useValueOrAbsence(ownFields);
  const [old, now] = [inputsOf(before ?? {}), inputsOf(after)];
  return (
    <ul className="stack">
      {changedNames(old, now).map((name) => (
        <li key={name}>
          {labelOf(name)}: <BeforeAfter before={before && valueText(name, old)} after={valueText(name, now)} />
        </li>
      ))}
    </ul>
  );
}

function BeforeAfter({ before, after }: { before: ReactNode; after: ReactNode }) {
  const t = useTranslations('history.difference');
  const nothing = <span className={styles['nothing']}>{t('nothing')}</span>;
  return (
    <span className={styles['pair']}>
      <span className="visually-hidden">{t('before')}</span>
      <del className={styles['before']}>{before ?? nothing}</del>
      <ArrowRight className={styles['arrow']} size="1em" aria-hidden="true" />
      <span className="visually-hidden">{t('after')}</span>
      <ins className={styles['after']}>{after ?? nothing}</ins>
    </span>
  );
}

function TagsDifference({ before, after }: { before: readonly Label[]; after: readonly Label[] }) {
  const t = useTranslations('history.difference');
  const { added, removed, isReordered } = compareLists(before, after, (tag) => `${tag.id ?? ''} ${tag.name ?? ''}`);
  if (isReordered) return <span className={styles['nothing']}>{t('reordered')}</span>;
  return (
    <ul className="row">
      {removed.map((tag, index) => (
        <li key={`removed ${index}`}>
          <del className={styles['removed']}>
            <span className="visually-hidden">{t('removed')}</span> − {labelOf(tag)}
          </del>
        </li>
      ))}
      {added.map((tag, index) => (
        <li key={`added ${index}`}>
          <ins className={styles['added']}>
            <span className="visually-hidden">{t('added')}</span> + {labelOf(tag)}
          </ins>
        </li>
      ))}
    </ul>
  );
}

function PhotosDifference({ before, after }: { before: readonly string[]; after: readonly string[] }) {
  const t = useTranslations('history.difference');
  const { added, removed, isReordered } = compareLists(before, after, (url) => url);
  if (isReordered) return <span className={styles['nothing']}>{t('reordered')}</span>;
  return (
    <ul className="row">
      {removed.map((url) => (
        <li key={`removed ${url}`}>
          <Thumbnail url={url} label={t('photoRemoved')} mark="−" />
        </li>
      ))}
      {added.map((url) => (
        <li key={`added ${url}`}>
          <Thumbnail url={url} label={t('photoAdded')} mark="+" />
        </li>
      ))}
    </ul>
  );
}
