import { EllipsisVertical } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { showNotice } from '../design/notices.ts';
import type { PetView } from '../service/queries.ts';
import styles from './card-corner.module.css';
import { PetMenu } from './pet-menu.tsx';
import { MAX_SELECTED, toggleSelected, useIsSelected, useIsSelecting } from './selection/selection.ts';

/** The controls of staff on a card. */
export function CardCorner({ pet }: { pet: PetView }) {
  const t = useTranslations('listEditing.corner');
  const isSelecting = useIsSelecting();
  return (
    <div className={styles['corner']} data-shown={isSelecting || undefined}>
      <PetMenu
        pet={pet}
        renderButton={(props) => (
          <button type="button" className={styles['menu']} aria-label={t('menu', { name: pet.name })} {...props}>
            <EllipsisVertical size="1.25em" aria-hidden="true" />
          </button>
        )}
      />
      <SelectBox pet={pet} />
    </div>
  );
}

function SelectBox({ pet }: { pet: PetView }) {
  const t = useTranslations('listEditing');
  const isSelected = useIsSelected(pet.id);
  return (
    <label className={styles['select']}>
      <input
        type="checkbox"
        className={styles['box']}
        checked={isSelected}
        aria-label={t('corner.select', { name: pet.name })}
        title={t('corner.selectHint')}
        onChange={({ nativeEvent }) => {
          const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
          if (!toggleSelected(pet, isRange)) showNotice({ text: t('selection.most', { count: MAX_SELECTED }) });
        }}
      />
    </label>
  );
}
