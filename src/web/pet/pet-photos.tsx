import { useTranslations } from 'use-intl';
import { PhotoPlaceholder } from '../catalogue/photo-placeholder.tsx';
import { LinkButton } from '../design/buttons.tsx';
import type { PetPhotoView, PetView } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { ExternalPhotos } from './external-photos.tsx';
import { Gallery } from './gallery.tsx';
import { isStoredPhoto } from '../design/photo.tsx';
import styles from './pet-photos.module.css';

interface PetPhotosProps {
  id: string;
  pet: PetView;
  /** Undefined while they are loading. */
  photos: readonly PetPhotoView[] | undefined;
}

/** The photos of a pet: a gallery of the stored ones, and links to those on other hosts. */
export function PetPhotos({ id, pet, photos }: PetPhotosProps) {
  const own = (photos ?? []).filter(isStoredPhoto);
  const elsewhere = (photos ?? []).filter((photo) => !isStoredPhoto(photo));
  return (
    <div className={styles['photos']}>
      {own.length > 0 && <Gallery name={pet.name} photos={own} />}
      {own.length === 0 && (photos !== undefined || pet.photoUrls.length === 0) && (
        <NoPhoto id={id} category={pet.category?.name} />
      )}
      {photos === undefined && pet.photoUrls.length > 0 && <PhotosPlaceholder count={pet.photoUrls.length} />}
      {elsewhere.length > 0 && <ExternalPhotos urls={elsewhere.map(({ url }) => url)} />}
    </div>
  );
}

/** The space of the gallery. */
function PhotosPlaceholder({ count }: { count: number }) {
  return (
    <div aria-hidden="true">
      <div className={styles['frame']} />
      {count > 1 && <div className={styles['row']} />}
    </div>
  );
}

/** The same placeholder as on the card of the pet. */
function NoPhoto({ id, category }: { id: string; category: string | undefined }) {
  const t = useTranslations('petPage');
  const pet = useTranslations('pet');
  const { writePets } = usePermissions();
  return (
    <div className={styles['frame']}>
      <div className={styles['drawing']}>
        <PhotoPlaceholder category={category} />
      </div>
      <p className="badge" data-tone="neutral">
        {pet('noPhoto')}
      </p>
      {writePets && (
        <LinkButton to="/pets/$petId/edit" params={{ petId: id }} variant="default">
          {t('addPhotos')}
        </LinkButton>
      )}
    </div>
  );
}
