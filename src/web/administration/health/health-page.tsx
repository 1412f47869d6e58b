import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Stethoscope } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { CHECK_NAMES } from '../../../api/web/health-checks.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import sectionStyles from '../../account/section.module.css';
import { Section } from '../../account/section.tsx';
import { Choices } from '../../dashboard/choices.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/buttons.tsx';
import { useByteSize } from '../../design/byte-size.ts';
import { DateTime } from '../../design/date-time.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { healthQuery, type HealthView } from '../admin-queries.ts';
import { Activity } from './activity.tsx';
import { useFindingTexts } from './finding-texts.ts';
import { Findings } from './findings.tsx';
import styles from './health.module.css';
import { RecentLog } from './recent-log.tsx';

type Server = HealthView['databaseServers'][number];

export function HealthPage() {
  return (
    <AdminOnly>
      <Health />
    </AdminOnly>
  );
}

const VIEWS = ['checks', 'activity', 'log'] as const;
type View = (typeof VIEWS)[number];

/** Views, so that what arrives in one does not move another. */
function Health() {
  const t = useTranslations('administration.health');
  const [view, setView] = useState<View>('checks');
  const choices = (
    <Choices label={t('view')} choices={VIEWS} nameOf={(each) => t(`views.${each}`)} value={view} onChange={setView} />
  );
  if (view === 'checks') return <Checks choices={choices} />;
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      {choices}
      {view === 'activity' ? <Activity /> : <RecentLog />}
    </AdminPage>
  );
}

function Checks({ choices }: { choices: ReactNode }) {
  const t = useTranslations('administration.health');
  const queries = useQueryClient();
  const found = useQuery(healthQuery());
  const check = useAction({
    mutationFn: () => client.checkHealth(),
    onSuccess: (health) => queries.setQueryData(healthQuery().queryKey, health),
  });
  const health = found.data;
  const isRunning = check.isPending || (health !== undefined && health.running !== null);
  return (
    <AdminPage
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button
          leftSection={<Stethoscope size="1.1em" aria-hidden />}
          aria-disabled={isRunning}
          onClick={() => {
            if (!isRunning) check.mutate();
          }}
        >
          {t('check')}
        </Button>
      }
    >
      {choices}
      <FormError error={found.error ?? check.error} />
      {health !== undefined && health.databaseServers.length > 0 && <Servers servers={health.databaseServers} />}
      {health !== undefined && <Result health={health} />}
    </AdminPage>
  );
}

function Result({ health: { running, checkedAt, findings, error } }: { health: HealthView }) {
  const t = useTranslations('administration.health');
  const problems = findings.filter(({ severity }) => severity !== 'ok').length;
  return (
    <>
      {running !== null && <Progress running={running} />}
      {error !== null && running === null && <p className={styles['failed']}>{t('failed', { reason: error })}</p>}
      <div role="status">
        {checkedAt !== null && running === null && (
          <p className={styles['summary']}>
            <strong>{problems === 0 ? t('healthy') : t('problems', { count: problems })}</strong>
          </p>
        )}
      </div>
      {checkedAt !== null && (
        <>
          <p className={styles['checkedAt']}>
            {t('last')}: <DateTime at={checkedAt} />
          </p>
          <Findings findings={findings} />
        </>
      )}
      {checkedAt === null && running === null && <EmptyState title={t('never')}>{t('neverText')}</EmptyState>}
    </>
  );
}

function Progress({ running: { check, done, total } }: { running: NonNullable<HealthView['running']> }) {
  const t = useTranslations('administration.health');
  const { titleOf } = useFindingTexts();
  const place = CHECK_NAMES.indexOf(check);
  const label = t('running', { number: place + 1, total: CHECK_NAMES.length, name: titleOf(check) });
  return (
    <div className={styles['progress']}>
      <progress
        aria-label={label}
        max={CHECK_NAMES.length}
        value={place + (total === 0 ? 0 : Math.min(1, done / total))}
      />
      <p>
        {label}
        {total > 0 && ` (${t('records', { done, total })})`}
      </p>
    </div>
  );
}

/** The servers of PostgreSQL as they are now. */
function Servers({ servers }: { servers: readonly Server[] }) {
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
