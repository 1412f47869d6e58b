import { useTranslations } from 'use-intl';
import type { Pet } from '../../api/web/first-view.ts';
import { isLongName } from '../design/page.tsx';
import { PageLink } from '../design/page-link.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import styles from './pet-facts.module.css';

export function PetFacts({ pet, hasContact }: { pet: Pet; hasContact: boolean }) {
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
      {hasContact && (
        <PageLink to="/about" hash="contact" className={styles['contact']}>
          {t('contact')}
        </PageLink>
      )}
    </>
  );
}

function Category({ pet: { category } }: { pet: Pet }) {
  const t = useTranslations('petPage');
  if (category?.name === undefined || category.name === '') return null;
  return (
    <p className={styles['category']}>
      {t('category')}{' '}
      <PageLink to="/" search={{ category: [category.name] }}>
        {category.name}
      </PageLink>
    </p>
  );
}

function Tags({ pet: { tags } }: { pet: Pet }) {
  const t = useTranslations('petPage');
  const names = [...new Set(tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <ul className="row" aria-label={t('tags')}>
      {names.map((name) => (
        <li key={name}>
          <PageLink to="/" search={{ tag: [name] }} className={styles['tag']}>
            {name}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
