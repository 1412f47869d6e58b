import { Menu } from '@mantine/core';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { useNavigate } from '@tanstack/react-router';
import { History, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { PetView } from '../service/queries.ts';
import { useBulkActions } from './bulk/bulk-actions.ts';
import { MENU_PROPS, StatusMenuItems } from './selection/status-menu.tsx';
import { useStatusChange } from './selection/status-change.ts';

/** A menu with the status and the other actions of a pet. `children` is the button that opens it. */
export function PetMenu({ pet, children }: { pet: PetView; children: ReactNode }) {
  const t = useTranslations('listEditing.corner');
  const { change } = useBulkActions();
  const { changeStatus } = useStatusChange(pet);
  const navigate = useNavigate();
  const params = { petId: String(pet.id) };
  return (
    <Menu {...MENU_PROPS}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('status')}</Menu.Label>
        <StatusMenuItems value={pet.status} onChoose={changeStatus} />
        <Menu.Divider />
        <Menu.Item
          leftSection={<Pencil size="1.1em" aria-hidden="true" />}
          onClick={() => void navigate({ to: '/pets/$petId/edit', params })}
        >
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<History size="1.1em" aria-hidden="true" />}
          onClick={() => void navigate({ to: '/pets/$petId/history', params })}
        >
          {t('history')}
        </Menu.Item>
        <Menu.Item
          leftSection={<Trash2 size="1.1em" aria-hidden="true" />}
          onClick={() => change([pet], { kind: 'delete' })}
        >
          {t('delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
