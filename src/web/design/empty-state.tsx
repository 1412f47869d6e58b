import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  /** What happened, and what to do next. */
  children?: ReactNode;
  actions?: ReactNode;
  /** An error, rather than no data. */
  isError?: boolean;
  /** The level of the heading: 1 if it is the whole page. */
  level?: 1 | 2;
}

/** Shown instead of content: no results, no data yet, or an error. */
export function EmptyState({ title, children, actions, isError = false, level = 2 }: EmptyStateProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={styles['state']} role={isError ? 'alert' : undefined}>
      <svg className={styles['drawing']} viewBox="0 0 160 110" aria-hidden="true">
        <ellipse className={styles['ground']} cx="80" cy="98" rx="62" ry="8" />
        <path
          className={styles['animal']}
          d="M52 96c-6-20 2-44 18-50-3-10-3-20 1-26 6 2 11 8 13 14 5-1 10-1 15 0 2-6 7-12 13-14 4 7 4 17 1 26 9 5 13 15 11 26 8 5 12 14 8 24z"
        />
        <circle className={styles['eye']} cx="79" cy="52" r="3" />
        <circle className={styles['eye']} cx="104" cy="52" r="3" />
        <path className={styles['mouth']} d={isError ? 'M84 67q7-6 15 0' : 'M84 64q7 6 15 0'} />
      </svg>
      <Heading tabIndex={-1} className={styles['title']}>
        {title}
      </Heading>
      {children !== undefined && <div className={styles['text']}>{children}</div>}
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </div>
  );
}
