import { useFormatter, useTranslations } from 'use-intl';
import type { ResultOf } from '../../api/operation-types.ts';
import styles from './tiles.module.css';

const KILOBYTE = 1000;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** The key figures. */
export function Tiles({ statistics: { total, statuses, photos } }: { statistics: ResultOf<'getStatistics'> }) {
  const t = useTranslations('dashboard.tiles');
  const status = useTranslations('pet.status');
  const format = useFormatter();
  const sizeText = (bytes: number) => {
    const { amount, unit } = sizeOf(bytes);
    return format.number(amount, { style: 'unit', unit, maximumFractionDigits: 1 });
  };
  const tiles = [
    { name: t('total'), value: format.number(total) },
    ...statuses.map((each) => ({ name: status(each.status), value: format.number(each.count) })),
    { name: t('photos'), value: format.number(photos.count) },
    { name: t('storage'), value: sizeText(photos.bytes) },
  ];
  return (
    <dl className={styles['tiles']}>
      {tiles.map(({ name, value }) => (
        <div key={name} className={styles['tile']}>
          <dt className={styles['name']}>{name}</dt>
          <dd className={styles['value']}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A number of bytes in the largest unit in which it is at least 1. */
function sizeOf(bytes: number): { amount: number; unit: string } {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KILOBYTE)));
  return { amount: bytes / KILOBYTE ** power, unit: UNITS[power] ?? 'byte' };
}
