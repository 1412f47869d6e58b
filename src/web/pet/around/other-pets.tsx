import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { PetCard } from '../../catalogue/pet-card.tsx';
import { othersQuery, type Kind } from './others.ts';
import styles from './other-pets.module.css';
import { OtherPetsSkeleton } from './pet-layout.tsx';

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
