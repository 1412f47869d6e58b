import { useFormatter, useTranslations } from 'use-intl';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { useByteSize } from '../design/byte-size.ts';
import styles from './tiles.module.css';

/** The key figures. */
export function Tiles({ statistics: { total, statuses, photos } }: { statistics: ResultOf<'getStatistics'> }) {
  const t = useTranslations('dashboard.tiles');
  const status = useTranslations('pet.status');
  const format = useFormatter();
  const byteSize = useByteSize();
  const tiles = [
    { name: t('total'), value: format.number(total) },
    ...statuses.map((each) => ({ name: status(each.status), value: format.number(each.count) })),
    { name: t('photos'), value: format.number(photos.count) },
    { name: t('storage'), value: byteSize(photos.bytes) },
  ];
  return (
    <dl className={styles['tiles']}>
      {tiles.map(({ name, value }) => (
        <div key={name} className={styles['tile']}>
          <dt className="soft small">{name}</dt>
          <dd className={styles['value']}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
