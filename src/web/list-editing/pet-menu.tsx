import { useNavigate } from '@tanstack/react-router';
import { History, Pencil, Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import { Menu, MenuDivider, MenuItem, MenuLabel } from '../design/menu.tsx';
import type { PetView } from '../service/queries.ts';
import { useBulkActions } from './bulk/bulk-actions.ts';
import { StatusMenuItems } from './selection/status-menu.tsx';
import { useStatusChange } from './selection/status-change.ts';

const ICON = { size: '1.1em', 'aria-hidden': true } as const;

/** A menu with the status and the other actions of a pet. */
export function PetMenu({ pet, renderButton }: { pet: PetView } & Pick<ComponentProps<typeof Menu>, 'renderButton'>) {
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
