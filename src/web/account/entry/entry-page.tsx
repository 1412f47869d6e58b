import type { ReactNode } from 'react';
import { Logo } from '../../design/logo.tsx';
import { usePageTitle } from '../../design/page.tsx';
import styles from './account.module.css';

interface EntryPageProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** Links to other pages, below the form. */
  footer?: ReactNode;
}

/** The layout of the pages with one small form: login, sign-up, password reset. */
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
