import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import sectionStyles from '../../account/section.module.css';
import { Section } from '../../account/section.tsx';
import { Badge } from '../../design/badge.tsx';
import { DateTime, useDateTimeFormats } from '../../design/date-time.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { systemQuery, type SystemView } from '../admin-queries.ts';
import adminStyles from '../administration.module.css';
import { Mail } from './mail.tsx';
import styles from './system.module.css';

type Setting = SystemView['settings'][number];

const SECOND_MS = 1000;

export function SystemPage() {
  return (
    <AdminOnly>
      <System />
    </AdminOnly>
  );
}

function System() {
  const t = useTranslations('administration.system');
  const { data: system, error } = useQuery(systemQuery);
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {system && (
        <>
          <Software system={system} />
          <Jobs jobs={system.jobs} />
          {system.mail && <Mail mail={system.mail} />}
          <Errors errors={system.errors} />
          <Settings settings={system.settings} />
        </>
      )}
    </AdminPage>
  );
}

function Software({ system: { version, nodeVersion, startedAt } }: { system: SystemView }) {
  const t = useTranslations('administration.system');
  const { exactDateTime } = useDateTimeFormats();
  const facts = [
    [t('version'), version],
    [t('node'), nodeVersion],
    [t('startedAt'), exactDateTime(startedAt)],
  ] as const;
  return (
    <Section title={t('software')}>
      <dl className={adminStyles['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Errors({ errors }: Pick<SystemView, 'errors'>) {
  const t = useTranslations('administration.system.errors');
  return (
    <Section title={t('title')} lead={t('lead')}>
      {errors.length === 0 && <p className={sectionStyles['lead']}>{t('none')}</p>}
      <ul className={sectionStyles['list']}>
        {errors.map(({ at, message, detail, operation, requestId }, index) => (
          <li key={`${at} ${errors.length - index}`} className={sectionStyles['item']}>
            <div>
              <p className={sectionStyles['itemTitle']}>{detail === undefined ? message : `${message}: ${detail}`}</p>
              <p className={sectionStyles['itemText']}>
                <DateTime at={at} />
              </p>
              {requestId !== undefined && (
                <p className={sectionStyles['itemText']}>
                  {t('request', { operation: operation ?? t('unknown'), id: requestId })}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Jobs({ jobs }: Pick<SystemView, 'jobs'>) {
  const t = useTranslations('administration.system.jobs');
  return (
    <Section title={t('title')}>
      <ul className={sectionStyles['list']}>
        {jobs.map((job) => (
          <JobItem key={job.name} job={job} />
        ))}
      </ul>
    </Section>
  );
}

function JobItem({
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

/** The settings that differ from the defaults, and the others on demand. */
function Settings({ settings }: Pick<SystemView, 'settings'>) {
  const t = useTranslations('administration.system.settings');
  const changed = settings.filter(({ source }) => source !== 'default');
  const others = settings.filter(({ source }) => source === 'default');
  return (
    <Section title={t('title')} lead={t('lead')}>
      {changed.length === 0 ? <p>{t('none')}</p> : <List settings={changed} />}
      <details>
        <summary className={styles['summary']}>{t('defaults', { count: others.length })}</summary>
        <List settings={others} />
      </details>
    </Section>
  );
}

function List({ settings }: { settings: readonly Setting[] }) {
  const t = useTranslations('administration.system.settings');
  return (
    <dl className={styles['settings']}>
      {settings.map(({ name, value, origin }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === '' ? t('empty') : value}
            {origin !== '' && <span className="soft small">{origin}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
