import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { ArgumentsOf } from '../../../api/documents/operation-types.ts';
import type { Profile, SearchResult } from '../../catalogue/arrivals.ts';
import { PetCard } from '../../catalogue/pet-card.tsx';
import { resultsOf } from '../../catalogue/search-results.ts';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';
import styles from './other-pets.module.css';
import { OtherPetsSkeleton } from './pet-layout.tsx';

/** One row, or two on a phone. */
const OTHERS = 4;

/** The traits by which other pets are similar to a pet. */
interface Kind {
  species?: Profile['species'] | undefined;
  /** The name of its category. */
  category?: string | undefined;
}

const SHOWN = { status: ['available'], sort: 'newest', covers: true, include: 'facts' } as const;

interface OtherPetsProps extends Kind {
  /** The digits of the ID of the pet to exclude. */
  id: string;
}

/** Available pets, as alternatives to this one. */
export function OtherPets({ id, ...kind }: OtherPetsProps) {
  const t = useTranslations('petPage.others');
  const { data = [], isLoading } = useQuery(othersQuery(id, kind));
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

/** Available pets of the species, then of the category, then others. */
function othersQuery(id: string, { species, category }: Kind) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'others', id, species, category],
    queryFn: async ({ signal }) => {
      const filters: readonly ArgumentsOf<'findPets'>[] = [
        ...(species === undefined ? [] : [{ species: [species] }]),
        ...(category === undefined || category === '' ? [] : [{ category: [category] }]),
        {},
      ];
      // Without the pet itself.
      const known = new Set([id]);
      const others: SearchResult[] = [];
      for (const filter of filters) {
        // Some of these may be known already.
        const limit = OTHERS + known.size;
        const page = await reader.findPets({ ...filter, ...SHOWN, limit }, { signal });
        const found = resultsOf(page).filter(({ pet }) => !known.has(String(pet.id)));
        for (const { pet } of found) known.add(String(pet.id));
        others.push(...found);
        if (others.length >= OTHERS) break;
      }
      return others.slice(0, OTHERS);
    },
  });
}
