import styles from './menu.module.css';

/** How our menus look and behave. */
export const MENU_LOOK = {
  position: 'bottom-end',
  shadow: 'none',
  // Inside of a landmark, as all of the page.
  portalProps: { target: '#content' },
  // An element without a role is no child of a menu; the focus begins at the first item by itself.
  withInitialFocusPlaceholder: false,
  classNames: {
    dropdown: styles['dropdown'] ?? '',
    item: styles['item'] ?? '',
    label: styles['label'] ?? '',
    divider: styles['divider'] ?? '',
  },
} as const;
