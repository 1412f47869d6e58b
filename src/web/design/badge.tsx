import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { STATUS_MARKS } from '../../api/web/drawings.ts';
import type { PetStatus } from '../service/queries.ts';

export type Tone = 'neutral' | 'accent' | 'available' | 'pending' | 'sold' | 'danger';

/** A short word about something, such as its status, in the colours of the status of a pet. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone | undefined; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

interface StatusBadgeProps {
  status: PetStatus | undefined;
  /** The profile of the same pet. */
  profile?: { isPublished?: boolean } | undefined;
  /** Instead of the name of the status. */
  labels?: readonly string[];
}

/** The status of a pet, as text with an icon, and whether it is a draft. */
export function StatusBadge({ status, profile, labels = [] }: StatusBadgeProps) {
  const t = useTranslations('pet');
  return (
    <>
      {status &&
        (labels.length > 0 ? labels : [t(`status.${status}`)]).map((label) => (
          <Badge key={label} tone={status}>
            <StatusMark status={status} />
            {label}
          </Badge>
        ))}
      {profile?.isPublished === false && <Badge>{t('draft')}</Badge>}
    </>
  );
}

export function StatusMark({ status }: { status: PetStatus }) {
  return (
    <svg viewBox="0 0 16 16" width="0.85em" height="0.85em" aria-hidden="true" fill="currentColor" fillRule="evenodd">
      <path d={STATUS_MARKS[status]} />
    </svg>
  );
}
