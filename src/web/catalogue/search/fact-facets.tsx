import { useTranslations } from 'use-intl';
import { FACT_FILTERS, toggle, type FactFilter } from '../../../api/web/catalogue-search.ts';
import { useFactWords } from './criterion-words.ts';
import type { FacetState } from './facets.ts';
import styles from './filters.module.css';
import { LabelCount } from './label-facet.tsx';
import type { SearchAddress } from './search-address.ts';

type Facets = NonNullable<FacetState['facets']>;

/** The facets in the response of the service. */
const FACETS = {
  species: 'species',
  age: 'ages',
  size: 'sizes',
  sex: 'sexes',
  goodWith: 'goodWith',
  location: 'locations',
} as const satisfies Record<FactFilter, keyof Facets>;

/** The filters by which people look for a pet. A fact that no pet has is not shown. */
export function FactFacets({ address, state }: { address: SearchAddress; state: FacetState }) {
  return FACT_FILTERS.map((name) => <FactFacet key={name} name={name} address={address} state={state} />);
}

interface FactFacetProps {
  name: FactFilter;
  address: SearchAddress;
  state: FacetState;
}

function FactFacet({ name, address: { search, change }, state: { facets, areCounted } }: FactFacetProps) {
  const t = useTranslations('profile.filter');
  const wordOf = useFactWords(name === 'location');
  const chosen = search[name] ?? [];
  const values = facets?.[FACETS[name]] ?? [];
  if (values.length === 0) return null;
  return (
    <fieldset className={styles['group']}>
      <legend>{t(name)}</legend>
      {values.map(({ name: value, count }) => (
        <label key={value} className={styles['option']} data-empty={areCounted && count === 0}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => change({ [name]: toggle(chosen, value) })}
          />
          <span className={styles['name']}>{wordOf(name, value) ?? value}</span>
          <LabelCount count={areCounted ? count : undefined} />
        </label>
      ))}
    </fieldset>
  );
}
