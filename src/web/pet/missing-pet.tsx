import { queryOptions, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { Button, LinkButton } from '../design/buttons.tsx';
import { usePageTitle } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { client } from '../service/client.ts';
import { PETS_KEY } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { useRestorePet } from './pet-changes.ts';

/** For an ID without a pet. Only staff see whether the pet was deleted. */
export function MissingPet({ id }: { id: string }) {
  const t = useTranslations('petPage.missing');
  const { writePets } = usePermissions();
  const { data: lastChange } = useQuery({ ...lastChangeQuery(id), enabled: writePets });
  usePageTitle(t('title'));
  if (lastChange?.action === 'deleted')
    return <DeletedPet id={id} at={lastChange.at} by={lastChange.actor?.name ?? null} />;
  return (
    <EmptyState level={1} title={t('title')} actions={<LinkButton to="/">{t('all')}</LinkButton>}>
      {t('text')}
    </EmptyState>
  );
}

function lastChangeQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'last-change', id],
    queryFn: async ({ signal }) => {
      const [last] = await client.listPetHistory({ petId: BigInt(id), limit: 1 }, { signal });
      return last ?? null;
    },
  });
}

function DeletedPet({ id, at, by }: { id: string; at: string; by: string | null }) {
  const t = useTranslations('petPage.missing');
  const format = useFormatter();
  const { restorePet, isRestoring } = useRestorePet(id);
  const when = format.dateTime(new Date(at), { dateStyle: 'long', timeStyle: 'short' });
  return (
    <EmptyState
      level={1}
      title={t('deletedTitle')}
      actions={
        <>
          <Button loading={isRestoring} onClick={restorePet}>
            {t('restore')}
          </Button>
          <LinkButton to="/pets/$petId/history" params={{ petId: id }} variant="default">
            {t('history')}
          </LinkButton>
          <LinkButton to="/" variant="default">
            {t('all')}
          </LinkButton>
        </>
      }
    >
      {by === null ? t('deleted', { when }) : t('deletedBy', { when, by })}
    </EmptyState>
  );
}
