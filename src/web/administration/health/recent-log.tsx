import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { logQuery, type LogEntryView } from '../admin-queries.ts';
import { SelectFilter, TextFilter } from '../filter-fields.tsx';
import styles from './activity.module.css';
import { NodeField, useNodes } from './nodes.tsx';

const LEVELS = ['info', 'warn', 'error', 'fatal'] as const satisfies readonly LogEntryView['level'][];

/** Without a filter, also debug. */
type Level = (typeof LEVELS)[number];

interface Filter {
  level?: Level;
  text?: string;
}

const TONES = { debug: 'neutral', info: 'neutral', warn: 'pending', error: 'danger', fatal: 'danger' } as const;

/** The last hour of the log, which the page follows until it is paused. */
export function RecentLog() {
  const t = useTranslations('administration.health.log');
  const { exactDateTime } = useDateTimeFormats();
  const [filter, setFilter] = useState<Filter>({});
  const [isPaused, setPaused] = useState(false);
  const query = useQuery({ ...logQuery(filter, isPaused), placeholderData: keepPreviousData });
  const nodes = useNodes(query.data);
  const log = nodes.shown;
  const lead = log && t('lead', { node: log.node, since: exactDateTime(log.since) });
  return (
    <Section title={t('title')} lead={lead} actions={<NodeField {...nodes} />}>
      <search className={styles['filters']}>
        <SelectFilter
          label={t('level')}
          anyLabel={t('anyLevel')}
          choices={LEVELS}
          nameOf={(level) => t(`from.${level}`)}
          value={filter.level}
          onChange={(level) => setFilter(filterOf(level, filter.text))}
        />
        <TextFilter
          label={t('text')}
          hint={t('textHint')}
          value={filter.text}
          onChange={(text) => setFilter(filterOf(filter.level, text))}
        />
        <Button
          variant="default"
          leftSection={isPaused ? <Play size="1.1em" aria-hidden /> : <Pause size="1.1em" aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? t('follow') : t('pause')}
        </Button>
      </search>
      <FormError error={query.error} />
      {log !== undefined && <Entries entries={log.entries} isFiltered={Object.keys(filter).length > 0} />}
    </Section>
  );
}

/** Without empty parts, which the service refuses. */
function filterOf(level = '', text = ''): Filter {
  return { ...(level !== '' && { level: level as Level }), ...(text !== '' && { text }) };
}

function Entries({ entries, isFiltered }: { entries: readonly LogEntryView[]; isFiltered: boolean }) {
  const t = useTranslations('administration.health.log');
  if (entries.length === 0) return <p className="soft">{t(isFiltered ? 'noMatch' : 'none')}</p>;
  return (
    // A scrollable region must be focusable for keyboard users.
    <div className={styles['entries']} role="region" aria-label={t('entries')} tabIndex={0}>
      <ol>
        {entries.map((entry, index) => (
          <li key={`${entry.at} ${entries.length - index}`}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Entry({ entry: { at, level, message, detail, operation, requestId, fields } }: { entry: LogEntryView }) {
  const t = useTranslations('administration.health.log');
  const format = useFormatter();
  const others = [operation, requestId, fields].filter((text) => text !== undefined);
  return (
    <>
      <p className="row">
        <time dateTime={at}>{format.dateTime(new Date(at), { timeStyle: 'medium' })}</time>
        <Badge tone={TONES[level]}>{t(`levels.${level}`)}</Badge>
        <span lang="en">{detail === undefined ? message : `${message}: ${detail}`}</span>
      </p>
      {others.length > 0 && <code>{others.join(' · ')}</code>}
    </>
  );
}
