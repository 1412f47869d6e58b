import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { Cover } from '../catalogue/arrivals.ts';
import { PetCard, PetCardSkeleton } from '../catalogue/pet-card.tsx';
import { FavouriteButton } from '../design/favourite-button.tsx';
import { isStoredPhoto } from '../design/photo.tsx';
import type { Favourite } from '../service/favourites.ts';
import { petPhotosQuery, petProfileQuery, type PetView } from '../service/queries.ts';

interface FavouriteCardProps {
  favourite: Favourite;
  /** Without a pet, it is loading or gone. */
  found: { pet?: PetView | undefined; isGone: boolean };
  isShared: boolean;
}

export function FavouriteCard({ favourite, found: { pet, isGone }, isShared }: FavouriteCardProps) {
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
