import type { ComponentType } from 'react';
import { useTranslations } from 'use-intl';
import { PET_PARTS } from '../../features/pet-parts.ts';
import type { Pet } from '../../api/web/first-view.ts';
import { StatusBadge } from '../design/badge.tsx';
import { isLongName } from '../design/page.tsx';
import { PageLink } from '../design/page-link.tsx';
import type { PetPartProps } from '../features/web-feature.ts';
import styles from './pet-facts.module.css';
import { ProfileFacts } from './profile/profile-facts.tsx';

const PARTS: readonly ComponentType<PetPartProps>[] = PET_PARTS;

export function PetFacts(props: PetPartProps) {
  const { pet, about, site } = props;
  const t = useTranslations('petPage');
  const unnamed = useTranslations('pet');
  return (
    <>
      <header className={styles['header']}>
        <div className="row">
          <StatusBadge status={pet.status} profile={about?.profile} />
        </div>
        <h1 tabIndex={-1} className={styles['name']} data-long={isLongName(pet.name)}>
          {pet.name.trim() === '' ? unnamed('unnamed') : pet.name}
        </h1>
        <Category pet={pet} />
      </header>
      {pet.status !== undefined && (
        <p className={pet.status === 'available' ? 'soft' : 'note'} data-status={pet.status}>
          {t(`meaning.${pet.status}`)}
        </p>
      )}
      {about && <ProfileFacts about={about} site={site} />}
      <Tags pet={pet} />
      {pet.status !== 'sold' && (
        <>
          {PARTS.map((Part, index) => (
            <Part key={index} {...props} />
          ))}
          {site.contact && (
            <PageLink to="/about" hash="contact">
              {t('contact')}
            </PageLink>
          )}
        </>
      )}
    </>
  );
}

function Category({ pet: { category } }: { pet: Pet }) {
  const t = useTranslations('petPage');
  if (category?.name === undefined || category.name === '') return null;
  return (
    <p className="soft">
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
