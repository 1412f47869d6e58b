import { QRCodeSVG } from 'qrcode.react';
import { useTranslations } from 'use-intl';
import { Logo } from '../design/logo.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import type { PetView } from '../service/queries.ts';
import styleSheet from './kennel-card.css?url';
import { addressOfPet } from './pet-actions.tsx';
import type { StoredPhoto } from '../design/photo.tsx';

interface KennelCardProps {
  id: string;
  pet: PetView;
  photo: StoredPhoto | undefined;
  /** Called when the photo is loaded, or failed to load. */
  onPhotoSettled: () => void;
}

/** Black on white in every theme, as on paper. The size is A5 landscape. */
export function KennelCard({ id, pet, photo, onPhotoSettled }: KennelCardProps) {
  const t = useTranslations('petPage.kennelCard');
  const address = addressOfPet(id);
  const { site } = bootstrap;
  const tags = [...new Set(pet.tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  return (
    <article className="kennel-card" aria-label={t('label', { name: pet.name })}>
      <KennelCardStyles />
      <div className="kennel-photo-frame">
        {photo === undefined ? (
          <Logo size="5rem" />
        ) : (
          <CardPhoto photo={photo} name={pet.name} onEnd={onPhotoSettled} />
        )}
      </div>
      <div className="kennel-about">
        <h2 className="kennel-name" data-long={pet.name.length > 18}>
          {pet.name}
        </h2>
        {pet.category?.name !== undefined && <p className="kennel-category">{pet.category.name}</p>}
        <StatusBadge status={pet.status} />
        {tags.length > 0 && <p className="kennel-tags">{tags.join(' · ')}</p>}
      </div>
      <footer className="kennel-foot">
        <div className="kennel-code">
          <QRCodeSVG value={address} level="M" marginSize={4} title={t('code', { name: pet.name })} />
        </div>
        <div className="kennel-where">
          {site.isDescribed && (
            <p>{[site.name, site.contact?.telephone].filter((part) => part !== undefined).join(' · ')}</p>
          )}
          <p>{t('scan')}</p>
          <p className="kennel-address">{address}</p>
          <p className="kennel-number">{t('number', { id })}</p>
        </div>
      </footer>
    </article>
  );
}

/** The styles of the card are in a file of their own, which other pages do not load. */
export function KennelCardStyles() {
  return <link rel="stylesheet" href={styleSheet} precedence="default" />;
}

/** The large size, which is sharp on paper. */
function CardPhoto({ photo, name, onEnd }: { photo: StoredPhoto; name: string; onEnd: () => void }) {
  const t = useTranslations('pet');
  const { url, width, height } = photo.sizes.large;
  return (
    <img
      className="filling"
      src={url}
      width={width}
      height={height}
      alt={photo.alt ?? t('photo', { name })}
      onLoad={onEnd}
      onError={onEnd}
    />
  );
}
