import { useTranslations } from 'use-intl';
import { toggle } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/status-badge.tsx';
import { LabelChoices, LabelCount } from './label-choices.tsx';
import styles from './filters.module.css';
import { isEmpty, usePetChoices, type KnownChoices } from './pet-choices.ts';
import type { SearchAddress } from './search-address.ts';

const STATUSES = ['available', 'pending', 'sold', 'none'] as const;

/** What can be chosen, with how many pets there would be then. Every choice holds at once. */
export function Filters({ address: { search, change } }: { address: SearchAddress }) {
  const t = useTranslations('catalogue.filters');
  const tags = search.tag ?? [];
  const known = usePetChoices(search);
  return (
    <div className={styles['filters']}>
      <StatusChoices
        known={known}
        chosen={search.status ?? []}
        onToggle={(status) => change({ status: toggle(search.status, status) })}
      />
      <LabelChoices
        kind="category"
        known={known}
        chosen={search.category ?? []}
        onToggle={(category) => change({ category: toggle(search.category, category) })}
      />
      <LabelChoices kind="tag" known={known} chosen={tags} onToggle={(tag) => change({ tag: toggle(search.tag, tag) })}>
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

interface StatusChoicesProps {
  known: KnownChoices;
  chosen: readonly Status[];
  onToggle: (status: Status) => void;
}

function StatusChoices({ known: { choices, areCounted }, chosen, onToggle }: StatusChoicesProps) {
  const t = useTranslations();
  return (
    <fieldset className={styles['group']}>
      <legend>{t('catalogue.filters.status')}</legend>
      {STATUSES.map((status) => {
        const counted = areCounted ? choices?.statuses.find((each) => each.status === status) : undefined;
        return (
          <label key={status} className={styles['choice']} data-empty={isEmpty(counted)}>
            <input type="checkbox" checked={chosen.includes(status)} onChange={() => onToggle(status)} />
            <span className={styles['status']} data-status={status}>
              {status !== 'none' && <StatusMark status={status} />}
            </span>
            <span className={styles['name']}>{t(`pet.status.${status}`)}</span>
            <LabelCount counted={counted} />
          </label>
        );
      })}
    </fieldset>
  );
}
