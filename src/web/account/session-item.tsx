import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { nameProgram } from '../../api/web/user-agents.ts';
import type { SessionView } from './account-queries.ts';
import { useDateTimeFormats } from '../design/date-time.tsx';
import styles from './section.module.css';

interface SessionItemProps {
  session: SessionView;
  /** Buttons. */
  children?: ReactNode;
}

export function SessionItem({ session, children }: SessionItemProps) {
  const t = useTranslations('account.sessions');
  const programName = useProgramName();
  const { relativeTime, dateTime } = useDateTimeFormats();
  const { address, userAgent, current, createdAt, lastUsedAt, expiresAt } = session;
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']} title={userAgent}>
          {programName(session)}
          {current && <Badge tone="available">{t('this')}</Badge>}
        </p>
        <p className={styles['itemText']}>
          {current ? t('whereNow', { address }) : t('where', { address, when: relativeTime(lastUsedAt) })}
        </p>
        <p className={styles['itemText']}>{t('since', { when: dateTime(createdAt), until: dateTime(expiresAt) })}</p>
      </div>
      {children}
    </li>
  );
}

/** The common name of the program that started the session. */
export function useProgramName(): (session: SessionView) => string {
  const t = useTranslations('account.sessions');
  return ({ userAgent }) => {
    const name = nameProgram(userAgent);
    if (name === undefined) return t('unknown');
    return name.system === undefined ? name.program : t('program', { program: name.program, system: name.system });
  };
}
