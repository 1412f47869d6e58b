import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { StatusMark } from '../../design/status-badge.tsx';
import { statisticsQuery } from '../../service/queries.ts';
import { LabelChoices } from './label-choices.tsx';
import { LabelCount } from './label-count.tsx';
import styles from './filters.module.css';
import type { SearchAddress } from './search-address.ts';
import { toggle } from './search-parts.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;

/** What can be chosen, with how many pets there are of it. Every choice holds at once. */
export function Filters({ address: { search, change } }: { address: SearchAddress }) {
  const t = useTranslations('catalogue.filters');
  const tags = search.tag ?? [];
  return (
    <div className={styles['filters']}>
      <StatusChoices
        chosen={search.status ?? []}
        onToggle={(status) => change({ status: toggle(search.status, status) })}
      />
      <LabelChoices
        kind="category"
        chosen={search.category ?? []}
        onToggle={(category) => change({ category: toggle(search.category, category) })}
      />
      <LabelChoices kind="tag" chosen={tags} onToggle={(tag) => change({ tag: toggle(search.tag, tag) })}>
        {tags.length > 1 && (
          <label className={styles['choice']}>
            <input
              type="checkbox"
              checked={search.match === 'all'}
              onChange={({ currentTarget }) => change({ match: currentTarget.checked ? 'all' : undefined })}
            />
            <span>{t('all')}</span>
          </label>
        )}
      </LabelChoices>
    </div>
  );
}

type Status = (typeof STATUSES)[number];

function StatusChoices({ chosen, onToggle }: { chosen: readonly Status[]; onToggle: (status: Status) => void }) {
  const t = useTranslations();
  const { data } = useQuery(statisticsQuery());
  return (
    <fieldset className={styles['group']}>
      <legend>{t('catalogue.filters.status')}</legend>
      {STATUSES.map((status) => (
        <label key={status} className={styles['choice']}>
          <input type="checkbox" checked={chosen.includes(status)} onChange={() => onToggle(status)} />
          <span className={styles['status']} data-status={status}>
            <StatusMark status={status} />
          </span>
          <span className={styles['name']}>{t(`pet.status.${status}`)}</span>
          <LabelCount count={data?.statuses.find((each) => each.status === status)?.count} />
        </label>
      ))}
    </fieldset>
  );
}
