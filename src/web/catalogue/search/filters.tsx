import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { toggle } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/badge.tsx';
import { usePermissions } from '../../service/current-user.ts';
import { LabelFacet, LabelCount } from './label-facet.tsx';
import { requireTexts } from '../../texts/loaded-texts.ts';
import styles from './filters.module.css';
import { useFacets, type FacetState } from './facets.ts';
import type { SearchAddress } from './search-address.ts';

/** Loads the texts as well. The filters below are shown afterwards, so that nothing moves. */
const FactFacets = lazy(async () => {
  await requireTexts(['profile']);
  return { default: (await import('./fact-facets.tsx')).FactFacets };
});

const STATUSES = ['available', 'pending', 'sold', 'none'] as const;

/** All filters, each with the number of matching pets. A change applies immediately. */
export function Filters({ address }: { address: SearchAddress }) {
  const { search, change } = address;
  const t = useTranslations('catalogue.filters');
  const tags = search.tag ?? [];
  const state = useFacets(search);
  const { writePets } = usePermissions();
  // Families know species; the groups of a shelter would be nearly the same list again.
  const hasCategories = writePets || search.category !== undefined || state.facets?.species.length === 0;
  return (
    <div className="stack">
      <StatusFacet
        state={state}
        chosen={search.status ?? []}
        onToggle={(status) => change({ status: toggle(search.status, status) })}
      />
      <Suspense>
        <FactFacets address={address} state={state} />
        {hasCategories && (
          <LabelFacet
            kind="category"
            state={state}
            chosen={search.category ?? []}
            onToggle={(category) => change({ category: toggle(search.category, category) })}
          />
        )}
        <LabelFacet kind="tag" state={state} chosen={tags} onToggle={(tag) => change({ tag: toggle(search.tag, tag) })}>
          {tags.length > 1 && (
            <label className={styles['option']}>
              <input
                type="checkbox"
                checked={search.match === 'all'}
                onChange={({ currentTarget }) => change({ match: currentTarget.checked ? 'all' : undefined })}
              />
              <span>{t('all')}</span>
            </label>
          )}
        </LabelFacet>
      </Suspense>
    </div>
  );
}

type Status = (typeof STATUSES)[number];

interface StatusFacetProps {
  state: FacetState;
  chosen: readonly Status[];
  onToggle: (status: Status) => void;
}

function StatusFacet({ state: { facets, areCounted }, chosen, onToggle }: StatusFacetProps) {
  const t = useTranslations();
  const { writePets } = usePermissions();
  // A pet without a status is unfinished work of the staff.
  const statuses = STATUSES.filter((status) => status !== 'none' || writePets || chosen.includes(status));
  return (
    <fieldset className={styles['group']}>
      <legend>{t('catalogue.filters.status')}</legend>
      {statuses.map((status) => {
        const count = areCounted ? facets?.statuses.find((each) => each.status === status)?.count : undefined;
        return (
          <label key={status} className={styles['option']} data-empty={count === 0}>
            <input type="checkbox" checked={chosen.includes(status)} onChange={() => onToggle(status)} />
            <span className={styles['status']} data-status={status}>
              {status !== 'none' && <StatusMark status={status} />}
            </span>
            <span className={styles['name']}>{t(`pet.status.${status}`)}</span>
            <LabelCount count={count} />
          </label>
        );
      })}
    </fieldset>
  );
}
