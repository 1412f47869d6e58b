import { useEffect, type ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  /** What the page is about: its heading, and what the browser calls it. */
  title: string;
  /** Beside the heading: what can be done here. */
  actions?: ReactNode;
  /** Below the heading. */
  lead?: ReactNode;
  /** For what is read rather than looked at. */
  isNarrow?: boolean;
  children: ReactNode;
}

/** A page with its heading. The shell moves the focus to the heading when the page is come to. */
export function Page({ title, actions, lead, isNarrow = false, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className={isNarrow ? `${styles['page']} ${styles['narrow']}` : styles['page']}>
      <header className={styles['header']}>
        <div>
          <h1 tabIndex={-1} className={styles['title']} data-long={isLongName(title)}>
            {title}
          </h1>
          {lead !== undefined && <div className={styles['lead']}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** What the browser shows for the page, in its tab and its history. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} - Menagerie`;
  }, [title]);
}

/** In characters. The longest name has 255: in the usual size, it would fill the screen. */
const LONG_NAME = 60;

/** Whether a heading is so long that it is shown smaller. */
export function isLongName(name: string): boolean {
  return name.length > LONG_NAME;
}
