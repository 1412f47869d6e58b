import { Menu } from '@mantine/core';
import { Check } from 'lucide-react';
import { StatusMark } from '../../design/status-badge.tsx';
import type { PetStatus } from '../../service/queries.ts';
import { STATUSES, useStatusName } from './status-change.ts';
import styles from './menu.module.css';

/** Props that all menus share. */
export const MENU_PROPS = {
  position: 'bottom-end',
  shadow: 'none',
  // Inside a landmark, like all content of the page.
  portalProps: { target: '#content' },
  // The placeholder has no role, which children of a menu need. The focus starts at the first item without it, too.
  withInitialFocusPlaceholder: false,
  classNames: {
    dropdown: styles['dropdown'] ?? '',
    item: styles['item'] ?? '',
    label: styles['label'] ?? '',
    divider: styles['divider'] ?? '',
  },
} as const;

const NONE = 'none';

interface StatusMenuItemsProps {
  /** Null if the pets have different statuses. */
  value: PetStatus | undefined | null;
  onChoose: (status: PetStatus | undefined) => void;
}

/** Menu items: each status, and none. */
export function StatusMenuItems({ value, onChoose }: StatusMenuItemsProps) {
  const nameOf = useStatusName();
  const choose = (name: string) => onChoose(STATUSES.find((each) => each === name));
  return (
    <Menu.RadioGroup value={value === null ? null : (value ?? NONE)} onChange={choose}>
      {STATUSES.map((status) => (
        <Menu.RadioItem
          key={status}
          value={status}
          closeMenuOnClick
          checkIcon={<Check size="1em" aria-hidden="true" />}
        >
          <span className={styles['status']} data-status={status}>
            <StatusMark status={status} />
            {nameOf(status)}
          </span>
        </Menu.RadioItem>
      ))}
      <Menu.RadioItem value={NONE} closeMenuOnClick checkIcon={<Check size="1em" aria-hidden="true" />}>
        <span className={styles['status']}>
          <span className={styles['noMark']} />
          {nameOf(undefined)}
        </span>
      </Menu.RadioItem>
    </Menu.RadioGroup>
  );
}
