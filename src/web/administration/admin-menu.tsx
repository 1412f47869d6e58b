import { Link } from '@tanstack/react-router';
import { ChevronDown, Menu } from 'lucide-react';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { FEATURE_MENU_ITEMS } from '../../features/admin-menu.ts';
import type { AdminMenuItem } from '../features/web-feature.ts';
import styles from './admin-menu.module.css';

const ITEMS: readonly AdminMenuItem[] = [
  { group: 'people', to: '/admin/users', labelIn: (t) => t('users.title') },
  { group: 'people', to: '/admin/audit', labelIn: (t) => t('audit.title') },
  { group: 'organisation', to: '/admin/organisation', labelIn: (t) => t('menu.details') },
  { group: 'organisation', to: '/admin/own-fields', labelIn: (t) => t('ownFields.title') },
  { group: 'data', to: '/pets/transfer', labelIn: (t) => t('transfer') },
  { group: 'data', to: '/admin/backups', labelIn: (t) => t('backups.title') },
  { group: 'service', to: '/admin/programs', labelIn: (t) => t('programs.title') },
  { group: 'service', to: '/admin/mail', labelIn: (t) => t('settings.mail.title') },
  ...FEATURE_MENU_ITEMS,
  { group: 'service', to: '/admin/health', labelIn: (t) => t('health.title') },
  { group: 'service', to: '/admin/system', labelIn: (t) => t('system.title') },
];

const GROUPS = ['people', 'organisation', 'data', 'service'] as const satisfies readonly AdminMenuItem['group'][];

/** Beside the pages of the administration. On narrow screens it is above them, and a button opens it. */
export function AdminMenu() {
  const t = useTranslations('administration');
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const closeByKey = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    <nav aria-label={t('title')} className={styles['menu']}>
      <button
        ref={toggle}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className={styles['toggle']}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={closeByKey}
      >
        <Menu size="1.25em" aria-hidden />
        {t('title')}
        <ChevronDown size="1.25em" aria-hidden />
      </button>
      <div id={id} className={styles['groups']}>
        {GROUPS.map((group) => (
          <MenuGroup key={group} group={group} onChoose={() => setOpen(false)} onKeyDown={closeByKey} />
        ))}
      </div>
    </nav>
  );
}

interface MenuGroupProps {
  group: AdminMenuItem['group'];
  onChoose: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function MenuGroup({ group, onChoose, onKeyDown }: MenuGroupProps) {
  const t = useTranslations('administration');
  const id = useId();
  return (
    <div>
      <p id={id} className={styles['title']}>
        {t(`menu.${group}`)}
      </p>
      <ul aria-labelledby={id} className={styles['items']}>
        {ITEMS.filter((item) => item.group === group).map(({ to, labelIn }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles['link']}
              activeProps={{ className: styles['active'] }}
              activeOptions={{ includeSearch: false }}
              onClick={onChoose}
              onKeyDown={onKeyDown}
            >
              {labelIn(t)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
