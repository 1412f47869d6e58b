import { Check } from 'lucide-react';
import {
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import styles from './menu.module.css';
import { usePlacement } from './placement.ts';

type MenuButtonProps = Pick<
  ComponentProps<'button'>,
  'id' | 'ref' | 'popoverTarget' | 'aria-haspopup' | 'aria-expanded' | 'aria-controls' | 'onKeyDown'
>;

interface MenuProps {
  /** Renders the button that opens the menu, and that names it. */
  renderButton: (props: MenuButtonProps) => ReactNode;
  /** Items, labels and dividers. They are mounted only while the menu is open. */
  children: ReactNode;
}

/** A menu button (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). */
export function Menu({ renderButton, children }: MenuProps) {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  usePlacement(trigger, menu, 'end');
  useLayoutEffect(() => {
    if (isOpen) focusItem(menu.current, 0);
  }, [isOpen]);
  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    if (menu.current?.matches(':popover-open') === false) menu.current.showPopover();
  };
  const buttonProps: MenuButtonProps = {
    ref: trigger,
    id: `${id}-button`,
    popoverTarget: id,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    'aria-controls': id,
    onKeyDown: openByArrow,
  };
  return (
    <>
      {renderButton(buttonProps)}
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-labelledby={`${id}-button`}
        className={styles['menu']}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
        onKeyDown={moveFocus}
        onClickCapture={closeByItem}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/** Closes the menu before the action of the item: that may open a dialog, which returns the focus to the button. */
function closeByItem({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest('button') !== null) currentTarget.hidePopover();
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget: menu } = event;
  // The focus returns to the button, and moves on from there.
  if (key === 'Tab') return menu.hidePopover();
  const current = itemsIn(menu).findIndex((item) => item === document.activeElement);
  if (key === 'ArrowDown') focusItem(menu, current + 1);
  else if (key === 'ArrowUp') focusItem(menu, current - 1);
  else if (key === 'Home') focusItem(menu, 0);
  else if (key === 'End') focusItem(menu, -1);
  else return undefined;
  return event.preventDefault();
}

function focusItem(menu: HTMLElement | null, index: number): void {
  const items = itemsIn(menu);
  items.at(index % items.length)?.focus();
}

function itemsIn(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('button') ?? [])];
}

interface MenuItemProps {
  icon: ReactNode;
  onClick: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, onClick, children }: MenuItemProps) {
  return (
    <button type="button" role="menuitem" tabIndex={-1} className={styles['item']} onClick={onClick}>
      {icon}
      {children}
    </button>
  );
}

export function MenuRadioItem({ isChecked, ...item }: MenuItemProps & { isChecked: boolean }) {
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={isChecked}
      tabIndex={-1}
      className={styles['item']}
      onClick={item.onClick}
    >
      {item.icon}
      {item.children}
      {isChecked && <Check className={styles['check']} size="1em" aria-hidden />}
    </button>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <div role="presentation" className={styles['label']}>
      {children}
    </div>
  );
}

export function MenuDivider() {
  return <hr className={styles['divider']} />;
}
