import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { PetCard } from '../../catalogue/pet-card.tsx';
import { othersQuery } from './others.ts';
import styles from './other-pets.module.css';
import { OtherPetsSkeleton } from './pet-layout.tsx';

interface OtherPetsProps {
  /** The digits of the ID of the pet to exclude. */
  id: string;
  /** Pets of this category come first. */
  category?: string | undefined;
}

/** Available pets, as alternatives to this one. */
export function OtherPets({ id, category }: OtherPetsProps) {
  const t = useTranslations('petPage.others');
  const { data = [], isLoading } = useQuery(othersQuery(id, category));
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
