import { Button } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { LinkButton } from '../design/buttons.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { client } from '../service/client.ts';
import { PETS_KEY } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { useReturn } from './pet-changes.ts';

/** For an id that is no pet's: there never was one, or it was removed, which only staff are told. */
export function MissingPet({ id }: { id: string }) {
  const t = useTranslations('petPage.missing');
  const { writePets } = usePermissions();
  const { data: removal } = useQuery({ ...lastChangeQuery(id), enabled: writePets });
  usePageTitle(t('title'));
  if (removal?.action === 'removed') return <RemovedPet id={id} at={removal.at} by={removal.actor?.name ?? null} />;
  return (
    <Scene level={1} title={t('title')} actions={<LinkButton to="/">{t('all')}</LinkButton>}>
      {t('text')}
    </Scene>
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

function RemovedPet({ id, at, by }: { id: string; at: string; by: string | null }) {
  const t = useTranslations('petPage.missing');
  const format = useFormatter();
  const { bringBack, isReturning } = useReturn(id);
  const when = format.dateTime(new Date(at), { dateStyle: 'long', timeStyle: 'short' });
  return (
    <Scene
      level={1}
      title={t('removedTitle')}
      actions={
        <>
          <Button loading={isReturning} onClick={bringBack}>
            {t('bringBack')}
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
      {by === null ? t('removed', { when }) : t('removedBy', { when, by })}
    </Scene>
  );
}
