import { Link } from '@tanstack/react-router';
import { IdCard } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { isLongName } from '../../api/web/long-names.ts';
import { StatusBadge } from '../design/status-badge.tsx';
import type { PetView } from '../service/queries.ts';
import styles from './pet-facts.module.css';
import { ShareButton } from './share-button.tsx';

/** What there is to say of a pet, and what can be done with its page. */
export function PetFacts({ id, pet }: { id: string; pet: PetView }) {
  const t = useTranslations('petPage');
  const unnamed = useTranslations('pet');
  return (
    <>
      <header className={styles['header']}>
        <StatusBadge status={pet.status} />
        <h1 tabIndex={-1} className={styles['name']} data-long={isLongName(pet.name)}>
          {pet.name.trim() === '' ? unnamed('unnamed') : pet.name}
        </h1>
        <Category pet={pet} />
      </header>
      {pet.status !== undefined && (
        <p className={styles['meaning']} data-status={pet.status}>
          {t(`meaning.${pet.status}`)}
        </p>
      )}
      <Tags pet={pet} />
      <div className={styles['actions']}>
        <ShareButton name={pet.name} address={addressOfPet(id)} />
        <LinkButton
          to="/pets/$petId/card"
          params={{ petId: id }}
          variant="default"
          leftSection={<IdCard size="1.1em" aria-hidden />}
        >
          {t('card')}
        </LinkButton>
      </div>
    </>
  );
}

/** Where the page of a pet is found from anywhere. @param id its digits */
export function addressOfPet(id: string): string {
  return new URL(`/pets/${id}`, location.origin).href;
}

function Category({ pet: { category } }: { pet: PetView }) {
  const t = useTranslations('petPage');
  if (category?.name === undefined || category.name === '') return null;
  return (
    <p className={styles['category']}>
      {t('category')}{' '}
      <Link to="/" search={{ category: [category.name] }}>
        {category.name}
      </Link>
    </p>
  );
}

function Tags({ pet: { tags } }: { pet: PetView }) {
  const t = useTranslations('petPage');
  const names = [...new Set(tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <ul className={styles['tags']} aria-label={t('tags')}>
      {names.map((name) => (
        <li key={name}>
          <Link to="/" search={{ tag: [name] }} className={styles['tag']}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
