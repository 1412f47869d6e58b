import { useId, type ReactNode } from 'react';
import styles from './section.module.css';

interface SectionProps {
  title: string;
  /** The id of the section, for links to it. */
  anchor?: string;
  lead?: ReactNode;
  /** Next to the heading. */
  actions?: ReactNode;
  isDangerous?: boolean;
  children?: ReactNode;
}

/** A section of the account and user pages. */
export function Section({ title, anchor, lead, actions, isDangerous = false, children }: SectionProps) {
  const id = useId();
  return (
    <section id={anchor} className={styles['section']} aria-labelledby={id} data-dangerous={isDangerous || undefined}>
      <header className={styles['header']}>
        <div>
          <h2 id={id} className={styles['title']}>
            {title}
          </h2>
          {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}
