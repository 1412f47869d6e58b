import type { ReactNode } from 'react';
import styles from './profile.module.css';

/** A name and a value. Facts without a value are left out. */
export type Fact = readonly [name: string, value: ReactNode];

export function FactList({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  if (known.length === 0) return null;
  return (
    <dl className={styles['facts']}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt className="soft">{name}</dt>
          <dd className="row">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
