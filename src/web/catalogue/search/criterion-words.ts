import { useQuery, type QueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FACT_FILTERS, type CatalogueAddress, type FactFilter } from '../../../api/web/catalogue-search.ts';
import { organisationQuery } from '../../service/queries.ts';
import { requireTexts } from '../../texts/loaded-texts.ts';

/*
 * The words for the values of facts. Few searches need them on a phone, where the filters are in a sheet.
 */

/** Loads the words of a search, so that no value is shown raw first. */
export async function loadCriterionWords(queries: QueryClient, search: CatalogueAddress): Promise<void> {
  if (FACT_FILTERS.every((name) => search[name] === undefined)) return;
  const names = search.location === undefined ? undefined : queries.prefetchQuery(organisationQuery);
  await Promise.all([requireTexts(['profile']), names]);
}

/**
 * The word for a value of a fact, or undefined if it is unknown. The organisation has the names of its locations.
 *
 * @param loadsLocations false if they are only needed for locations that were loaded or chosen before
 */
export function useFactWords(loadsLocations: boolean): (name: FactFilter, value: string) => string | undefined {
  const t = useTranslations('profile');
  const { data } = useQuery({ ...organisationQuery, enabled: loadsLocations });
  return (name, value) => {
    if (name === 'location') return data?.organisation.locations?.find(({ id }) => id === value)?.name;
    const key = `${name}.${value}` as 'age.baby';
    return t.has(key) ? t(key) : undefined;
  };
}
