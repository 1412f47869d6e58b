import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { ArgumentsOf } from '../../../api/documents/operation-types.ts';
import { SIZES } from '../../../api/web/catalogue-search.ts';
import type { AboutPet } from '../../../api/web/first-view.ts';
import type { SearchResult } from '../../catalogue/arrivals.ts';
import { PetCard } from '../../catalogue/pet-card.tsx';
import { resultsOf } from '../../catalogue/search-results.ts';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';
import styles from './other-pets.module.css';
import { OtherPetsSkeleton } from './pet-layout.tsx';

const YEAR_MS = 365.25 * 24 * 3_600_000;

/** One row, or two on a phone. */
const OTHERS = 4;

/** Pets of a species that are compared with this one. */
const COMPARED = 24;

const SHOWN = { status: ['available'], sort: 'newest', covers: true, include: 'facts' } as const;

interface OtherPetsProps {
  /** The digits of the ID of the pet to exclude. */
  id: string;
  /** Its profile, to which others are similar. */
  profile?: Similar | undefined;
  /** The name of its category. */
  category?: string | undefined;
}

type Similar = Pick<AboutPet['profile'], 'species' | 'birthDate' | 'size'>;

/** Available pets, as alternatives to this one: the most similar first. */
export function OtherPets({ id, profile = {}, category }: OtherPetsProps) {
  const t = useTranslations('petPage.others');
  const { data: found = [], isLoading } = useQuery(othersQuery(id, profile.species, category));
  const data = found.toSorted((one, other) => distance(profile, one) - distance(profile, other)).slice(0, OTHERS);
  if (isLoading) return <OtherPetsSkeleton />;
  if (data.length === 0) return null;
  return (
    <section className={styles['others']} aria-labelledby="other-pets">
      <header className={styles['header']}>
        <h2 id="other-pets">{t('title')}</h2>
        <Link to="/" search={{ status: ['available'] }}>
          {t('all')}
        </Link>
      </header>
      <ul className={styles['cards']}>
        {data.map((found) => (
          <li key={String(found.pet.id)}>
            <PetCard {...found} isFirst={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** In years of age and steps of size. Pets of other species, without a known distance, are last. */
function distance({ species, birthDate, size }: Similar, { profile = {} }: SearchResult): number {
  if (species !== profile.species) return Infinity;
  const ages = [birthDate, profile.birthDate].map((date) => Date.parse(date ?? '') / YEAR_MS);
  const sizes = [size, profile.size].map((each) => (each === undefined ? Number.NaN : SIZES.indexOf(each)));
  return [ages, sizes].reduce((sum, [one = 0, other = 0]) => sum + (Math.abs(one - other) || 0), 0);
}

/** Available pets of the species, then of the category, then others. */
function othersQuery(id: string, species: Similar['species'], category: string | undefined) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'others', id, species, category],
    queryFn: async ({ signal }) => {
      const filters: readonly ArgumentsOf<'findPets'>[] = [
        ...(species === undefined ? [] : [{ species: [species], limit: COMPARED }]),
        ...(category === undefined || category === '' ? [] : [{ category: [category] }]),
        {},
      ];
      // Without the pet itself.
      const known = new Set([id]);
      const others: SearchResult[] = [];
      for (const filter of filters) {
        // Some of these may be known already.
        const page = await reader.findPets({ limit: OTHERS + known.size, ...filter, ...SHOWN }, { signal });
        const found = resultsOf(page).filter(({ pet }) => !known.has(String(pet.id)));
        for (const { pet } of found) known.add(String(pet.id));
        others.push(...found);
        if (others.length >= OTHERS) break;
      }
      return others;
    },
  });
}
