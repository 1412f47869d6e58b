import type { ComponentType } from 'react';
import { useTranslations } from 'use-intl';
import { PET_PARTS } from '../../features/pet-parts.ts';
import type { Pet } from '../../api/web/first-view.ts';
import { StatusBadge } from '../design/badge.tsx';
import { isLongName } from '../design/page.tsx';
import { PageLink } from '../design/page-link.tsx';
import type { PetPartProps } from '../features/web-feature.ts';
import { useWords } from '../texts/words.ts';
import { summaryIn } from '../../api/words/pet-texts.ts';
import { usePageOf } from './profile/profile-words.ts';
import styles from './pet-facts.module.css';
import { BondedPets } from './profile/bonded-pets.tsx';
import { KeyFacts } from './profile/key-facts.tsx';

const PARTS: readonly ComponentType<PetPartProps>[] = PET_PARTS;

/** The name, the facts by which families choose, and how to ask about the pet. */
export function PetFacts(props: PetPartProps) {
  const { pet, about, site } = props;
  const t = useTranslations('petPage');
  const page = usePageOf(site);
  const summary = about && summaryIn(about.profile, page);
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
      {about && <KeyFacts about={about} site={site} />}
      {summary !== undefined && (
        <p className="row" lang={summary.lang}>
          {summary.text}
        </p>
      )}
      {about && <BondedPets bonded={about.bonded} />}
      {pet.status !== undefined && (
        <p className={pet.status === 'available' ? 'soft' : 'note'} data-status={pet.status}>
          {t(`meaning.${pet.status}`)}
        </p>
      )}
      <Tags pet={pet} />
      {pet.status !== 'sold' && (
        <div className={styles['ask']}>
          {PARTS.map((Part, index) => (
            <Part key={index} {...props} />
          ))}
          {site.contact && (
            <PageLink to="/about" hash="contact">
              {t('contact')}
            </PageLink>
          )}
        </div>
      )}
    </>
  );
}

function Category({ pet: { category } }: { pet: Pet }) {
  const t = useTranslations('petPage');
  const { label } = useWords();
  if (category?.name === undefined || category.name === '') return null;
  return (
    <p className="soft">
      {t('category')}{' '}
      <PageLink to="/" search={{ category: [category.name] }}>
        {label(category.name)}
      </PageLink>
    </p>
  );
}

function Tags({ pet: { tags } }: { pet: Pet }) {
  const t = useTranslations('petPage');
  const { label } = useWords();
  const names = [...new Set(tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <ul className="row" aria-label={t('tags')}>
      {names.map((name) => (
        <li key={name}>
          <PageLink to="/" search={{ tag: [name] }} className={styles['tag']}>
            {label(name)}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
