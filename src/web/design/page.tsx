import { useEffect, type ReactNode } from 'react';
import styles from './page.module.css';

export interface PageProps {
  /** The heading, and the title of the document. */
  title: string;
  /** Next to the heading. */
  actions?: ReactNode;
  /** Below the heading. */
  lead?: ReactNode;
  /** Above the heading. */
  above?: ReactNode;
  /** For text rather than photos. */
  isNarrow?: boolean;
  children: ReactNode;
}

/** A page with a heading. The shell moves the focus to the heading after a navigation. */
export function Page({ title, actions, lead, above, isNarrow = false, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className={`${styles['page']} ${isNarrow ? styles['narrow'] : ''}`}>
      {above}
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

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} - ${siteName()}`;
  }, [title]);
}

/** The service puts it into the page. A build of Vite in development has none. */
function siteName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? 'Menagerie';
}

/** In characters. The longest name has 255: in the default size, it would fill the screen. */
const LONG_NAME = 60;

/** Whether a heading is so long that it is shown smaller. */
export function isLongName(name: string): boolean {
  return name.length > LONG_NAME;
}
