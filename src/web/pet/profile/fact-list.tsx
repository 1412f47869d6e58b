import type { ReactNode } from 'react';
import styles from './profile.module.css';

/** A name and a value. Facts without a value are left out. */
export type Fact = readonly [name: string, value: ReactNode];

export function FactList({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  if (known.length === 0) return null;
  return (
    <dl className={styles['facts']}>
      {known.map(([name, value], index) => (
        // An own field may have the same name as another.
        <div key={index}>
          <dt className="soft">{name}</dt>
          <dd className="row">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
