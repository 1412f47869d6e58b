import { useQueries, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Mail } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import type { Cover } from '../catalogue/arrivals.ts';
import { PetCard, PetCardSkeleton } from '../catalogue/pet-card.tsx';
import grid from '../catalogue/pet-grid.module.css';
import { Button, LinkButton } from '../design/buttons.tsx';
import buttons from '../design/buttons.module.css';
import { EmptyState } from '../design/empty-state.tsx';
import { FavouriteButton } from '../design/favourite-button.tsx';
import { showNotice } from '../design/notices.ts';
import { Page, usePageTitle } from '../design/page.tsx';
import { isStoredPhoto } from '../design/photo.tsx';
import { ShareButton } from '../pet/share-button.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import { addFavourites, type Favourite, MAX_FAVOURITES, useFavourites } from '../service/favourites.ts';
import { petPhotosQuery, petProfileQuery, petQuery, type PetView } from '../service/queries.ts';

interface FavouriteCardProps {
  favourite: Favourite;
  /** Without a pet, it is loading or gone. */
  found: { pet?: PetView | undefined; isGone: boolean };
  isShared: boolean;
}

const NOT_FOUND = 404;

/** The pets that the visitor has marked or, with `pets` in the address, a list that was shared. */
export function FavouritesPage() {
  const { pets } = useSearch({ from: '/favourites' });
  return pets === undefined ? <OwnList /> : <SharedList key={pets} ids={[...new Set(pets.split(','))]} />;
}

function OwnList() {
  const t = useTranslations('favourites');
  const now = useFavourites();
  // A pet that is unmarked stays until the page is left, so that it can be marked again and the focus stays.
  const [before] = useState(now);
  const shown = [...now.filter(({ id }) => before.every((each) => each.id !== id)), ...before];
  if (shown.length === 0) return <NoFavourites />;
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        now.length > 0 && (
          <>
            <ShareButton name={t('title')} label={t('address')} address={addressOf(now.map(({ id }) => id))} />
            <a className={buttons['button']} data-variant="default" href={messageOf(now, t('title'))}>
              <Mail size="1.1em" aria-hidden />
              {t('send')}
            </a>
          </>
        )
      }
    >
      <PetList favourites={shown} />
    </Page>
  );
}

function SharedList({ ids }: { ids: readonly string[] }) {
  const t = useTranslations('favourites');
  const own = useFavourites();
  const found = useFoundPets(ids).flatMap(({ pet }) => (pet === undefined ? [] : [favouriteOf(pet)]));
  const added = found.filter(({ id }) => own.every((each) => each.id !== id));
  return (
    <Page
      title={t('shared.title')}
      lead={t('shared.lead')}
      actions={
        <>
          <Button
            disabled={added.length === 0}
            onClick={() =>
              showNotice({
                text: addFavourites(added) ? t('shared.added') : t('shared.tooMany', { count: MAX_FAVOURITES }),
              })
            }
          >
            {t('shared.add')}
          </Button>
          <LinkButton to="/favourites" variant="default">
            {t('shared.own')}
          </LinkButton>
        </>
      }
    >
      <PetList favourites={ids.map((id) => ({ id, name: '' }))} isShared />
    </Page>
  );
}

function NoFavourites() {
  const t = useTranslations('favourites');
  usePageTitle(t('title'));
  return (
    <EmptyState level={1} title={t('none.title')} actions={<LinkButton to="/">{t('none.action')}</LinkButton>}>
      {t('none.text')}
    </EmptyState>
  );
}

function PetList({ favourites, isShared = false }: { favourites: readonly Favourite[]; isShared?: boolean }) {
  const t = useTranslations('favourites');
  const found = useFoundPets(favourites.map(({ id }) => id));
  return (
    <ul className={grid['grid']} aria-label={t('title')}>
      {favourites.map((favourite, index) => (
        <li key={favourite.id}>
          <FavouriteCard favourite={favourite} found={found[index] ?? { isGone: false }} isShared={isShared} />
        </li>
      ))}
    </ul>
  );
}

/** The pets in this order: deleted ones are gone. */
function useFoundPets(ids: readonly string[]) {
  const queries = useQueries({ queries: ids.map((id) => petQuery(id)) });
  return queries.map(({ data, error }) => {
    const isGone = error instanceof MenagerieError && error.status === NOT_FOUND;
    return { pet: isGone ? undefined : data?.pet, isGone };
  });
}

function favouriteOf({ id, name }: PetView): Favourite {
  return { id: String(id), name };
}

/** A message of the visitor's own mail program: the service learns nothing. */
function messageOf(favourites: readonly Favourite[], title: string): string {
  const names = favourites.map(({ name }) => name).join(', ');
  const body = `${names}\n\n${addressOf(favourites.map(({ id }) => id))}`;
  return `mailto:?subject=${encodeURIComponent(`${title} - ${bootstrap.site.name}`)}&body=${encodeURIComponent(body)}`;
}

/** The absolute address of a shared list. */
function addressOf(ids: readonly string[]): string {
  return new URL(`${bootstrap.basePath}/favourites?pets=${ids.join(',')}`, location.origin).href;
}

function FavouriteCard({ favourite, found: { pet, isGone }, isShared }: FavouriteCardProps) {
  if (pet !== undefined) return <LoadedCard id={favourite.id} pet={pet} isShared={isShared} />;
  return isGone ? <GoneCard favourite={favourite} isShared={isShared} /> : <PetCardSkeleton />;
}

function LoadedCard({ id, pet, isShared }: { id: string; pet: PetView; isShared: boolean }) {
  const { data: photos } = useQuery(petPhotosQuery(id));
  const { data: about } = useQuery(petProfileQuery(id));
  const photo = photos?.find(isStoredPhoto);
  const cover: Cover | undefined = photo && { ...photo, petId: pet.id };
  return (
    <PetCard
      pet={pet}
      cover={cover}
      profile={about?.profile}
      isFirst={false}
      corner={!isShared && <FavouriteButton id={id} name={pet.name} />}
    />
  );
}

/** A pet that was deleted, or whose profile is no longer published. */
function GoneCard({ favourite: { id, name }, isShared }: Pick<FavouriteCardProps, 'favourite' | 'isShared'>) {
  const t = useTranslations('favourites');
  const shownName = name === '' ? t('number', { id }) : name;
  return (
    <article className="card row note" data-tone="neutral">
      <p>{t('gone', { name: shownName })}</p>
      {!isShared && <FavouriteButton id={id} name={shownName} />}
    </article>
  );
}
