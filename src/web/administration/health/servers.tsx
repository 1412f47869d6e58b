import { useFormatter, useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { Badge } from '../../design/badge.tsx';
import { useByteSize } from '../../design/byte-size.ts';
import type { HealthView } from '../admin-queries.ts';
import sectionStyles from '../../account/section.module.css';
import styles from './health.module.css';

type Server = HealthView['databaseServers'][number];

/** The servers of PostgreSQL as they are now. */
export function Servers({ servers }: { servers: readonly Server[] }) {
  const t = useTranslations('administration.health.servers');
  return (
    <div className={styles['servers']}>
      <Section title={t('title')}>
        <ul className={sectionStyles['list']}>
          {servers.map((server) => (
            <Item key={server.name} server={server} />
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Item({ server: { name, reachable, role, timeline, replayLagSeconds, replayLagBytes } }: { server: Server }) {
  const t = useTranslations('administration.health.servers');
  const format = useFormatter();
  const byteSize = useByteSize();
  const seconds = format.number(replayLagSeconds ?? 0, { maximumFractionDigits: 1 });
  const texts = [
    timeline !== null && t('timeline', { timeline: String(timeline) }),
    replayLagBytes === 0 && t('current'),
    replayLagBytes !== null && replayLagBytes > 0 && t('behind', { seconds, size: byteSize(replayLagBytes) }),
  ];
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          {name}
          <Badge tone={reachable ? 'available' : 'danger'}>{reachable ? t(role ?? 'unknown') : t('unreachable')}</Badge>
        </p>
        <p className={sectionStyles['itemText']}>{texts.filter((text) => text !== false).join(' ')}</p>
      </div>
    </li>
  );
}
