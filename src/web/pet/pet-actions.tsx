import { useTranslations } from 'use-intl';
import { FavouriteButton } from '../design/favourite-button.tsx';
import { bootstrap } from '../service/bootstrap.ts';
import styles from './pet-actions.module.css';
import { ShareButton } from './share-button.tsx';

/** The controls on the page of a pet for all users. */
export function PetActions({ id, name }: { id: string; name: string }) {
  const t = useTranslations('petPage');
  return (
    <div className={styles['actions']}>
      <ShareButton name={name} label={t('share.address')} address={addressOfPet(id)} />
      <FavouriteButton id={id} name={name} />
    </div>
  );
}

/** The absolute address of the page of a pet. */
export function addressOfPet(id: string): string {
  return new URL(`${bootstrap.basePath}/pets/${id}`, location.origin).href;
}
