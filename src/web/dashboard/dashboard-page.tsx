import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { QueryError } from '../routing/error-pages.tsx';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { Page } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { LinkButton } from '../design/buttons.tsx';
import { StatusMark } from '../design/badge.tsx';
import { statisticsQuery } from '../service/queries.ts';
import { useWords } from '../texts/words.ts';
import { Bars, type Bar } from './bars.tsx';
import styles from './dashboard-page.module.css';
import { firstDayOf } from './periods.ts';
import { Plot } from './plot.tsx';
import { OverTime, useSpan } from './over-time.tsx';
import { Tiles } from './tiles.tsx';

type Statistics = ResultOf<'getStatistics'>;

export function DashboardPage() {
  const t = useTranslations('dashboard');
  const { span } = useSpan();
  const [nowMs] = useState(Date.now);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...statisticsQuery({ since: firstDayOf(span, nowMs) }),
    placeholderData: (before) => before,
  });
  return (
    <Page title={t('title')} lead={t('lead')}>
      {data === undefined && error === null && (
        <div className={styles['waiting']} role="status" aria-label={t('loading')} />
      )}
      {data === undefined && error !== null && <QueryError error={error} onRetry={() => void refetch()} />}
      {data !== undefined &&
        (data.total > 0 || hasActivity(data) ? <Numbers statistics={data} isOld={isPlaceholderData} /> : <NoPets />)}
    </Page>
  );
}

function hasActivity({ days }: Statistics): boolean {
  return days.some(({ added, changed, deleted }) => added + changed + deleted > 0);
}

function NoPets() {
  const t = useTranslations('dashboard.empty');
  return (
    <EmptyState title={t('title')} actions={<LinkButton to="/pets/new">{t('action')}</LinkButton>}>
      {t('text')}
    </EmptyState>
  );
}

function Numbers({ statistics, isOld }: { statistics: Statistics; isOld: boolean }) {
  return (
    <div className={styles['numbers']} aria-busy={isOld}>
      <Tiles statistics={statistics} />
      <div className={styles['plots']}>
        <OverTime days={statistics.days} />
        <Statuses statistics={statistics} />
        <Labels kind="categories" labels={statistics.categories} />
        <Labels kind="tags" labels={statistics.tags} />
      </div>
    </div>
  );
}

function Statuses({ statistics: { statuses, withoutStatus, total } }: { statistics: Statistics }) {
  const t = useTranslations('dashboard');
  const pet = useTranslations('pet.status');
  const named = statuses.map(({ status, count }) => ({ status, name: pet(status), count }));
  const none = { status: undefined, name: pet('none'), count: withoutStatus };
  const rows = withoutStatus > 0 ? [...named, none] : named;
  const bars: Bar[] = rows.map(({ status, name, count }) => ({
    key: name,
    label: (
      <span className={styles['status']} data-status={status}>
        {status !== undefined && <StatusMark status={status} />} {name}
      </span>
    ),
    count,
  }));
  return (
    <Plot
      title={t('statuses.title')}
      summary={t('statuses.summary', { total })}
      table={{ head: [t('statuses.status'), t('pets')], rows: rows.map(({ name, count }) => [name, count]) }}
      fileName="pets-by-status"
    >
      <Bars bars={bars} />
    </Plot>
  );
}

const SHOWN_LABELS = 10;

function Labels({ kind, labels }: { kind: 'categories' | 'tags'; labels: Statistics['categories'] }) {
  const t = useTranslations('dashboard');
  const { label } = useWords();
  const first = labels[0];
  return (
    <Plot
      title={t(`${kind}.title`)}
      summary={
        first === undefined ? t(`${kind}.none`) : t(`${kind}.summary`, { name: label(first.name), count: first.count })
      }
      table={{ head: [t(`${kind}.name`), t('pets')], rows: labels.map(({ name, count }) => [label(name), count]) }}
      fileName={`pets-by-${kind}`}
    >
      <Bars bars={labels.slice(0, SHOWN_LABELS).map(({ name, count }) => ({ key: name, label: label(name), count }))} />
    </Plot>
  );
}
