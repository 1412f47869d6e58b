import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { QueryError } from '../routing/error-pages.tsx';
import { Button, LinkButton, MoreButton } from '../design/buttons.tsx';
import { Page } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { StatusBadge } from '../design/badge.tsx';
import { useWho } from './history-entry.tsx';
import { deletedPetsQuery, type DeletedPet } from './history-queries.ts';
import { DateTime } from '../design/date-time.tsx';
import styles from './deleted-pets-page.module.css';
import { useRestoreDeletedPet } from './use-restore.ts';
import { StaffOnly } from '../routing/access.tsx';

/** Lists deleted pets, the last deleted first, and restores them. */
export function DeletedPetsPage() {
  const t = useTranslations('history.deleted');
  return (
    <StaffOnly title={t('title')}>
      <Page isNarrow title={t('title')} lead={t('lead')}>
        <DeletedPets />
      </Page>
    </StaffOnly>
  );
}

function DeletedPets() {
  const t = useTranslations('history');
  const query = useInfiniteQuery(deletedPetsQuery);
  const { restore, busyId } = useRestoreDeletedPet();
  const pets = query.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      {query.error !== null && <QueryError error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <p role="status">{t('loading')}</p>}
      {pets?.length === 0 && (
        <EmptyState title={t('deleted.none')} actions={<LinkButton to="/">{t('notAllowed.toPets')}</LinkButton>}>
          {t('deleted.noneText')}
        </EmptyState>
      )}
      {pets !== undefined && pets.length > 0 && (
        <ul className="stack">
          {pets.map((pet) => (
            <DeletedPetRow
              key={String(pet.id)}
              pet={pet}
              isBusy={busyId === pet.id}
              onRestore={() => restore(pet.id)}
            />
          ))}
        </ul>
      )}
      <MoreButton list={query} label={t('older')} />
    </>
  );
}

interface DeletedPetRowProps {
  pet: DeletedPet;
  isBusy: boolean;
  onRestore: () => void;
}

function DeletedPetRow({ pet, isBusy, onRestore }: DeletedPetRowProps) {
  const t = useTranslations('history.deleted');
  const { id, name, category, status, deletedAt, actor } = pet;
  const who = useWho({ actor });
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
          <DateTime at={deletedAt} />
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
        <Button variant="default" loading={isBusy} aria-label={t('restoreOf', { name })} onClick={onRestore}>
          {t('restore')}
        </Button>
      </div>
    </li>
  );
}
