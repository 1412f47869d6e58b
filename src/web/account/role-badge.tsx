import { Eye, PenLine, ShieldCheck, type LucideIcon } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { Role } from '../../api/web/admin-addresses.ts';
import styles from './role-badge.module.css';

interface RoleLook {
  icon: LucideIcon;
  tone: 'neutral' | 'green' | 'purple';
}

const LOOKS: Readonly<Record<Role, RoleLook>> = {
  viewer: { icon: Eye, tone: 'neutral' },
  editor: { icon: PenLine, tone: 'green' },
  admin: { icon: ShieldCheck, tone: 'purple' },
};

export function RoleBadge({ role }: { role: Role }) {
  const t = useTranslations('account.role');
  const { icon: Icon, tone } = LOOKS[role];
  return (
    <span className={styles['badge']} data-tone={tone}>
      <Icon size="1em" aria-hidden />
      {t(role)}
    </span>
  );
}
