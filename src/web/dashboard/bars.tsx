import type { ReactNode } from 'react';
import { useFormatter } from 'use-intl';
import styles from './bars.module.css';

export interface Bar {
  key: string;
  label: ReactNode;
  count: number;
}

/** A bar chart. Each bar has its number as text. */
export function Bars({ bars }: { bars: readonly Bar[] }) {
  const format = useFormatter();
  const max = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ul className="stack">
      {bars.map(({ key, label, count }) => (
        <li key={key} className={styles['row']}>
          <span className={styles['label']}>{label}</span>
          <span className={styles['count']}>{format.number(count)}</span>
          <span className={styles['track']} aria-hidden="true">
            <span
              className={styles['bar']}
              data-empty={count === 0}
              style={{ inlineSize: `${(count / max) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
