import { Eye, PenLine, ShieldCheck } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import styles from './role-badge.module.css';

const ICONS = { viewer: Eye, editor: PenLine, admin: ShieldCheck } as const;

export function RoleBadge({ role }: { role: CurrentUser['role'] }) {
  const t = useTranslations('account.role');
  const Icon = ICONS[role];
  return (
    <span className={styles['badge']} data-role={role}>
      <Icon size="1em" aria-hidden />
      {t(role)}
    </span>
  );
}
