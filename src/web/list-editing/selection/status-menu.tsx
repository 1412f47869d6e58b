import { MenuRadioItem } from '../../design/menu.tsx';
import { StatusMark } from '../../design/badge.tsx';
import type { PetStatus } from '../../service/queries.ts';
import { STATUSES, useStatusName } from './status-change.ts';
import styles from './status-menu.module.css';

interface StatusMenuItemsProps {
  /** Null if the pets have different statuses. */
  value: PetStatus | undefined | null;
  onChoose: (status: PetStatus | undefined) => void;
}

/** Menu items: each status, and none. */
export function StatusMenuItems({ value, onChoose }: StatusMenuItemsProps) {
  const nameOf = useStatusName();
  return [...STATUSES, undefined].map((status) => (
    <MenuRadioItem
      key={status ?? 'none'}
      isChecked={value === status}
      icon={
        <span className={styles['mark']} data-status={status}>
          {status !== undefined && <StatusMark status={status} />}
        </span>
      }
      onClick={() => {
        if (value !== status) onChoose(status);
      }}
    >
      {nameOf(status)}
    </MenuRadioItem>
  ));
}
