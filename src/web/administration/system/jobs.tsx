import { useFormatter, useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import { Section } from '../../account/section.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import type { SystemView } from '../admin-queries.ts';
import sectionStyles from '../../account/section.module.css';
import styles from './system.module.css';

const SECOND_MS = 1000;

/** The background jobs with their last and next run. */
export function Jobs({ jobs }: Pick<SystemView, 'jobs'>) {
  const t = useTranslations('administration.system.jobs');
  return (
    <Section title={t('title')}>
      <ul className={sectionStyles['list']}>
        {jobs.map((job) => (
          <Item key={job.name} job={job} />
        ))}
      </ul>
    </Section>
  );
}

function Item({
  job: { name, state, startedAt, durationMs, nextStartAt, error },
}: {
  job: SystemView['jobs'][number];
}) {
  const t = useTranslations('administration.system.jobs');
  const format = useFormatter();
  const { exactDateTime } = useDateTimeFormats();
  const seconds = format.number((durationMs ?? 0) / SECOND_MS, { maximumFractionDigits: 1 });
  const texts = [
    startedAt !== undefined && t('started', { time: exactDateTime(startedAt) }),
    durationMs !== undefined && t('took', { seconds }),
    nextStartAt === undefined ? t('onDemand') : t('next', { time: exactDateTime(nextStartAt) }),
  ];
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          {t(`names.${name}`)}
          <Badge tone={state === 'succeeded' ? 'available' : state === 'failed' ? 'danger' : 'neutral'}>
            {t(`states.${state}`)}
          </Badge>
        </p>
        <p className={sectionStyles['itemText']}>{texts.filter((text) => text !== false).join(' ')}</p>
        {error !== undefined && <p className={styles['error']}>{error}</p>}
      </div>
    </li>
  );
}
