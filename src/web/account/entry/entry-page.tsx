import type { ReactNode } from 'react';
import { Logo } from '../../design/logo.tsx';
import { usePageTitle } from '../../design/page.tsx';
import styles from '../account.module.css';

interface EntryPageProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** Below: where else one may want to go. */
  footer?: ReactNode;
}

/** A page with one small form: logging in, signing up, a new password. */
export function EntryPage({ title, lead, children, footer }: EntryPageProps) {
  usePageTitle(title);
  return (
    <div className={styles['entry']}>
      <div className={styles['entryCard']}>
        <Logo size="2.75rem" />
        <h1 tabIndex={-1} className={styles['entryTitle']}>
          {title}
        </h1>
        {lead !== undefined && <p className={styles['entryLead']}>{lead}</p>}
        {children}
      </div>
      {footer !== undefined && <p className={styles['entryFooter']}>{footer}</p>}
    </div>
  );
}
