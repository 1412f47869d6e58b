import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { QueryTrouble } from '../app/error-pages.tsx';
import { LinkButton, MoreButton } from '../design/buttons.tsx';
import { Page } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { useWho } from './history-entry.tsx';
import { removedPetsQuery, type RemovedPet } from './history-queries.ts';
import { Moment } from '../design/moments.tsx';
import styles from './removed-pets-page.module.css';
import { useUndelete } from './restoring.ts';
import { StaffOnly } from '../app/access.tsx';

/** The pets that are not there now, the last removed first, and the way back. */
export function RemovedPetsPage() {
  const t = useTranslations('history.removed');
  return (
    <StaffOnly title={t('title')}>
      <Page isNarrow title={t('title')} lead={t('lead')}>
        <RemovedPets />
      </Page>
    </StaffOnly>
  );
}

function RemovedPets() {
  const t = useTranslations('history');
  const query = useInfiniteQuery(removedPetsQuery);
  const { undelete, busyId } = useUndelete();
  const pets = query.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      {query.error !== null && <QueryTrouble error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <p role="status">{t('loading')}</p>}
      {pets?.length === 0 && (
        <Scene title={t('removed.none')} actions={<LinkButton to="/">{t('notAllowed.toPets')}</LinkButton>}>
          {t('removed.noneText')}
        </Scene>
      )}
      {pets !== undefined && pets.length > 0 && (
        <ul className={styles['list']}>
          {pets.map((pet) => (
            <RemovedPetRow
              key={String(pet.id)}
              pet={pet}
              isBusy={busyId === pet.id}
              onUndelete={() => undelete(pet.id)}
            />
          ))}
        </ul>
      )}
      <MoreButton list={query} label={t('older')} />
    </>
  );
}

interface RemovedPetRowProps {
  pet: RemovedPet;
  isBusy: boolean;
  onUndelete: () => void;
}

function RemovedPetRow({ pet, isBusy, onUndelete }: RemovedPetRowProps) {
  const t = useTranslations('history.removed');
  const { id, name, category, status, removedAt, removedBy } = pet;
  const who = useWho({ actor: removedBy });
  return (
    <li className={styles['row']}>
      <div className={styles['words']}>
        <h2 className={styles['name']}>{name}</h2>
        <p className={styles['about']}>
          {category?.name}
          <StatusBadge status={status} />
        </p>
        <p className={styles['when']}>
          <span>{t('by', { who })}</span>
          <Moment at={removedAt} />
        </p>
      </div>
      <div className={styles['actions']}>
        <Link
          to="/pets/$petId/history"
          params={{ petId: String(id) }}
          className={styles['link']}
          aria-label={t('historyOf', { name })}
        >
          {t('history')}
        </Link>
        <Button variant="default" loading={isBusy} aria-label={t('undeleteOf', { name })} onClick={onUndelete}>
          {t('undelete')}
        </Button>
      </div>
    </li>
  );
}
