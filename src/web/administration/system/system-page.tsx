import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { DateTime, useDateTimeFormats } from '../../design/date-time.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { systemQuery, type SystemView } from '../admin-queries.ts';
import { Jobs } from './jobs.tsx';
import { Mail } from './mail.tsx';
import { Settings } from './settings.tsx';
import sectionStyles from '../../account/section.module.css';
import adminStyles from '../administration.module.css';

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
    <AdminPage title={t('title')} lead={t('lead')} isNarrow>
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
