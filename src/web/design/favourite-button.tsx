import { Heart } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { MAX_FAVOURITES, toggleFavourite, useIsFavourite, type Favourite } from '../service/favourites.ts';
import styles from './favourite-button.module.css';
import { showNotice } from './notices.ts';

/** Marks a pet. Its name stays the same, and it is pressed if the pet is marked. */
export function FavouriteButton({ id, name }: Favourite) {
  const t = useTranslations('pet');
  const isFavourite = useIsFavourite(id);
  return (
    <button
      type="button"
      className={styles['heart']}
      aria-pressed={isFavourite}
      aria-label={t('favourite', { name })}
      onClick={() => {
        if (!toggleFavourite({ id, name })) showNotice({ text: t('mostFavourites', { count: MAX_FAVOURITES }) });
      }}
    >
      <Heart size="1.25em" fill={isFavourite ? 'currentColor' : 'none'} aria-hidden />
    </button>
  );
}
