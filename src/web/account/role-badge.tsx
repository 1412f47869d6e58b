import { CircleQuestionMark, Eye, PenLine, ShieldCheck, type LucideIcon } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { Role } from '../../api/web/admin-addresses.ts';
import { Badge, type Tone } from '../design/badge.tsx';

interface RoleLook {
  icon: LucideIcon;
  tone: Tone;
}

const LOOKS: Readonly<Record<Role, RoleLook>> = {
  viewer: { icon: Eye, tone: 'neutral' },
  editor: { icon: PenLine, tone: 'available' },
  admin: { icon: ShieldCheck, tone: 'sold' },
};

/** The look of a role that only a later version of the service knows. */
const UNKNOWN_LOOK: RoleLook = { icon: CircleQuestionMark, tone: 'neutral' };

export function RoleBadge({ role }: { role: Role }) {
  const t = useTranslations('account.role');
  const { icon: Icon, tone } = Object.hasOwn(LOOKS, role) ? LOOKS[role] : UNKNOWN_LOOK;
  return (
    <Badge tone={tone}>
      <Icon size="1em" aria-hidden />
      {t(role)}
    </Badge>
  );
}
