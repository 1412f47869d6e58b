import { QRCodeSVG } from 'qrcode.react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Profile } from '../catalogue/arrivals.ts';
import { useShortFacts } from '../catalogue/short-facts.ts';
import { Logo } from '../design/logo.tsx';
import { StatusBadge } from '../design/badge.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import type { PetView } from '../service/queries.ts';
import { useWords } from '../texts/words.ts';
import styleSheet from './kennel-card.css?url';
import { addressOfPet } from './pet-actions.tsx';
import type { StoredPhoto } from '../design/photo.tsx';
import { COMPANION_FIELDS } from './profile/profile-words.ts';

interface KennelCardProps {
  id: string;
  pet: PetView;
  profile: Profile;
  photo: StoredPhoto | undefined;
  /** Called when the photo is loaded, or failed to load. */
  onPhotoSettled: () => void;
}

/** Black on white in every theme, as on paper. The size is A5 landscape. */
export function KennelCard({ id, pet, profile, photo, onPhotoSettled }: KennelCardProps) {
  const t = useTranslations('petPage.kennelCard');
  const address = addressOfPet(id);
  const { site } = bootstrap;
  const { label } = useWords();
  const { facts } = useShortFacts(profile, pet.category?.name);
  const goodWith = useGoodWith(profile);
  const tags = [...new Set(pet.tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  // On paper, there is no space for everything.
  const about = goodWith === undefined ? tags.map(label) : [goodWith];
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
        {facts.length > 0 && <p className="kennel-category">{facts.join(' · ')}</p>}
        <StatusBadge status={pet.status} />
        {about.length > 0 && <p className="kennel-tags">{about.join(' · ')}</p>}
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

/** Such as `Gets along with children and cats`; undefined if that is not known. */
function useGoodWith(profile: Profile): string | undefined {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile.field');
  const format = useFormatter();
  const known = COMPANION_FIELDS.filter((field) => profile[field] === true);
  return known.length === 0 ? undefined : `${t('goodWith')}: ${format.list(known.map((field) => word(field)))}`;
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
