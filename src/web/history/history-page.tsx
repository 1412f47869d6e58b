import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { NotFoundPage, QueryError } from '../routing/error-pages.tsx';
import { Page } from '../design/page.tsx';
import { petQuery, type ReadPet } from '../service/queries.ts';
import { versionsLikeNewest } from './differences.ts';
import { HistoryEntryCard } from './history-entry.tsx';
import styles from './history-page.module.css';
import { historyQuery, type HistoryEntry } from './history-queries.ts';
import { Button, MoreButton } from '../design/buttons.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { useRestoreDeletedPet } from './use-restore.ts';
import { StaffOnly } from '../routing/access.tsx';

const NOT_FOUND = 404;

/** The history of a pet, the newest change first. Each version can be restored. */
export function HistoryPage() {
  const t = useTranslations('history');
  const { petId } = useParams({ from: '/pets/$petId/history' });
  return (
    <StaffOnly title={t('title')}>
      <History key={petId} petId={petId} />
    </StaffOnly>
  );
}

function History({ petId }: { petId: string }) {
  const t = useTranslations('history');
  const query = useInfiniteQuery(historyQuery(petId));
  const entries = query.data?.pages.flatMap(({ items }) => items);
  const isDeleted = entries?.[0]?.action === 'deleted';
  const pet = useQuery({ ...petQuery(petId), enabled: entries !== undefined && !isDeleted });
  if (query.error instanceof MenagerieError && query.error.status === NOT_FOUND) return <NotFoundPage />;
  // The cache may still have the pet from before its deletion.
  const current = isDeleted ? undefined : pet.data;
  const name = current?.pet.name ?? nameIn(entries ?? []);
  // The name above the entries may take many lines, which would move them.
  const isPending = query.isPending || (name === undefined && !isDeleted && pet.isLoading);
  return (
    <Page
      isNarrow
      title={name === undefined ? t('title') : t('titleOf', { name })}
      lead={name !== undefined && !isDeleted && <BackLink petId={petId} name={name} />}
    >
      {isDeleted && <DeletedNote petId={petId} />}
      {query.error !== null && <QueryError error={query.error} onRetry={() => void query.refetch()} />}
      {isPending && <p role="status">{t('loading')}</p>}
      {entries !== undefined && !isPending && <Entries petId={petId} entries={entries} current={current} />}
      {!isPending && <MoreButton list={query} label={t('older')} />}
    </Page>
  );
}

interface EntriesProps {
  petId: string;
  entries: readonly HistoryEntry[];
  current: ReadPet | undefined;
}

function Entries({ petId, entries, current }: EntriesProps) {
  const [restored, setRestored] = useState<bigint>();
  const same = versionsLikeNewest(entries);
  return (
    <>
      <ol className="stack">
        {entries.map((entry, index) => (
          <HistoryEntryCard
            key={String(entry.version)}
            entry={entry}
            isCurrent={index === 0}
            isSame={same.has(entry.version)}
            onRestore={() => setRestored(entry.version)}
          />
        ))}
      </ol>
      {restored !== undefined && (
        <RestoreDialog petId={petId} version={restored} current={current} onClose={() => setRestored(undefined)} />
      )}
    </>
  );
}

function BackLink({ petId, name }: { petId: string; name: string }) {
  const t = useTranslations('history');
  return (
    <Link to="/pets/$petId" params={{ petId }} activeOptions={{ exact: true }} className={styles['back']}>
      {t('back', { name })}
    </Link>
  );
}

function DeletedNote({ petId }: { petId: string }) {
  const t = useTranslations('history.deletedNote');
  const { restore, busyId } = useRestoreDeletedPet();
  return (
    <div className={styles['note']}>
      <p>{t('text')}</p>
      <Button loading={busyId !== undefined} onClick={() => restore(BigInt(petId))}>
        {t('restore')}
      </Button>
    </div>
  );
}

/** The last known name of the pet. */
function nameIn(entries: readonly HistoryEntry[]): string | undefined {
  for (const { changes } of entries)
    for (const change of changes) if (change.field === 'name') return change.after ?? change.before;
  return undefined;
}
