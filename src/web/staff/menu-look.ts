import styles from './menu.module.css';

/** How our menus look and behave. */
export const MENU_LOOK = {
  position: 'bottom-end',
  shadow: 'none',
  classNames: {
    dropdown: styles['dropdown'] ?? '',
    item: styles['item'] ?? '',
    label: styles['label'] ?? '',
    divider: styles['divider'] ?? '',
  },
} as const;
