import { ExternalLink, ImagePlus } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { StandIn } from '../catalogue/stand-in.tsx';
import { LinkButton } from '../design/buttons.tsx';
import type { PetPhotoView, PetView } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { Gallery } from './gallery.tsx';
import { findWebAddress, isOwnPicture } from '../design/picture.tsx';
import styles from './pet-pictures.module.css';

interface PetPicturesProps {
  id: string;
  pet: PetView;
  /** Undefined until they are known. */
  photos: readonly PetPhotoView[] | undefined;
}

/** The pictures of a pet: those of this service to look at, those of others to go to. */
export function PetPictures({ id, pet, photos }: PetPicturesProps) {
  const own = (photos ?? []).filter(isOwnPicture);
  const elsewhere = (photos ?? []).filter((photo) => !isOwnPicture(photo));
  return (
    <div className={styles['pictures']}>
      {own.length > 0 && <Gallery name={pet.name} photos={own} />}
      {own.length === 0 && (photos !== undefined || pet.photoUrls.length === 0) && (
        <NoPicture id={id} category={pet.category?.name} />
      )}
      {photos === undefined && pet.photoUrls.length > 0 && <ComingPictures count={pet.photoUrls.length} />}
      {elsewhere.length > 0 && <PicturesElsewhere urls={elsewhere.map(({ url }) => url)} />}
    </div>
  );
}

/** As large as the gallery that comes. */
function ComingPictures({ count }: { count: number }) {
  return (
    <div aria-hidden="true">
      <div className={styles['frame']} />
      {count > 1 && <div className={styles['row']} />}
    </div>
  );
}

/** The same drawing as on the card of the pet. */
function NoPicture({ id, category }: { id: string; category: string | undefined }) {
  const t = useTranslations('petPage');
  const pet = useTranslations('pet');
  const { writePets } = usePermissions();
  return (
    <div className={styles['frame']}>
      <div className={styles['drawing']}>
        <StandIn category={category} />
      </div>
      <p>{pet('noPicture')}</p>
      {writePets && (
        <LinkButton
          to="/pets/$petId/edit"
          params={{ petId: id }}
          variant="default"
          leftSection={<ImagePlus size="1.1em" aria-hidden />}
        >
          {t('addPictures')}
        </LinkButton>
      )}
    </div>
  );
}

function PicturesElsewhere({ urls }: { urls: readonly string[] }) {
  const t = useTranslations('petPage.elsewhere');
  return (
    <section className={styles['elsewhere']} aria-labelledby="pictures-elsewhere">
      <h2 id="pictures-elsewhere">{t('title', { count: urls.length })}</h2>
      <ul>
        {urls.map((url) => (
          <li key={url}>
            <PictureElsewhere url={url} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PictureElsewhere({ url }: { url: string }) {
  const t = useTranslations('petPage.elsewhere');
  const address = findWebAddress(url);
  if (address === undefined) return <span>{url}</span>;
  return (
    <a href={address.href} target="_blank" rel="noreferrer noopener nofollow">
      {t('link', { host: address.host, path: decodedName(address) })}
      <ExternalLink size="0.9em" aria-hidden />
      <span className="visually-hidden">{t('newWindow')}</span>
    </a>
  );
}

/** The last part of the path, which is mostly what the file is called. */
function decodedName({ pathname }: URL): string {
  const name = pathname.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
