import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical, History, Pencil, Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import { Menu, MenuDivider, MenuItem, MenuLabel } from '../design/menu.tsx';
import { showNotice } from '../design/notices.ts';
import type { PetView } from '../service/queries.ts';
import { useBulkActions } from './bulk/bulk-actions.ts';
import styles from './card-corner.module.css';
import { MAX_SELECTED, toggleSelected, useIsSelected, useIsSelecting } from './selection/selection.ts';
import { useStatusChange } from './selection/status-change.ts';
import { StatusMenuItems } from './selection/status-menu.tsx';

const ICON = { size: '1.1em', 'aria-hidden': true } as const;

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

function PetMenu({ pet, renderButton }: { pet: PetView } & Pick<ComponentProps<typeof Menu>, 'renderButton'>) {
  const t = useTranslations('listEditing.corner');
  const { change } = useBulkActions();
  const { changeStatus } = useStatusChange(pet);
  const navigate = useNavigate();
  const params = { petId: String(pet.id) };
  return (
    <Menu renderButton={renderButton}>
      <MenuLabel>{t('status')}</MenuLabel>
      <StatusMenuItems value={pet.status} onChoose={changeStatus} />
      <MenuDivider />
      <MenuItem icon={<Pencil {...ICON} />} onClick={() => void navigate({ to: '/pets/$petId/edit', params })}>
        {t('edit')}
      </MenuItem>
      <MenuItem icon={<History {...ICON} />} onClick={() => void navigate({ to: '/pets/$petId/history', params })}>
        {t('history')}
      </MenuItem>
      <MenuItem icon={<Trash2 {...ICON} />} onClick={() => change([pet], { kind: 'delete' })}>
        {t('delete')}
      </MenuItem>
    </Menu>
  );
}
