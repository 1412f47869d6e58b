import { QRCodeSVG } from 'qrcode.react';
import { useTranslations } from 'use-intl';
import { Logo } from '../design/logo.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import type { PetView } from '../service/queries.ts';
import styles from './kennel-card.module.css';
import { addressOfPet } from './pet-actions.tsx';
import type { OwnPicture } from '../design/picture.tsx';

interface KennelCardProps {
  id: string;
  pet: PetView;
  photo: OwnPicture | undefined;
  /** The picture is there, or will not come. */
  onPicture: () => void;
}

/** Black on white in every theme: it is paper. The size is A5, landscape. */
export function KennelCard({ id, pet, photo, onPicture }: KennelCardProps) {
  const t = useTranslations('petPage.kennelCard');
  const address = addressOfPet(id);
  const tags = [...new Set(pet.tags.map(({ name }) => name ?? ''))].filter((name) => name !== '');
  return (
    <article className={styles['card']} aria-label={t('label', { name: pet.name })}>
      <div className={styles['pictureFrame']}>
        {photo === undefined ? <Logo size="5rem" /> : <CardPicture photo={photo} name={pet.name} onEnd={onPicture} />}
      </div>
      <div className={styles['about']}>
        <h2 className={styles['name']} data-long={pet.name.length > 18}>
          {pet.name}
        </h2>
        {pet.category?.name !== undefined && <p className={styles['category']}>{pet.category.name}</p>}
        <StatusBadge status={pet.status} />
        {tags.length > 0 && <p className={styles['tags']}>{tags.join(' · ')}</p>}
      </div>
      <footer className={styles['foot']}>
        <div className={styles['code']}>
          <QRCodeSVG value={address} level="M" marginSize={4} title={t('code', { name: pet.name })} />
        </div>
        <div className={styles['where']}>
          <p>{t('scan')}</p>
          <p className={styles['address']}>{address}</p>
          <p className={styles['number']}>{t('number', { id })}</p>
        </div>
      </footer>
    </article>
  );
}

/** Sharp on paper: the large size, whatever the screen is. */
function CardPicture({ photo, name, onEnd }: { photo: OwnPicture; name: string; onEnd: () => void }) {
  const t = useTranslations('pet');
  const { url, width, height } = photo.sizes.large;
  return (
    <img
      className={styles['picture']}
      src={url}
      width={width}
      height={height}
      alt={photo.alt ?? t('picture', { name })}
      onLoad={onEnd}
      onError={onEnd}
    />
  );
}
