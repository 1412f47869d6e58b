import { useNavigate, useSearch } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { DaysPlot } from './days-plot.tsx';
import styles from './over-time.module.css';
import { isSpan, periodsOf, SPANS, type DayNumbers, type Period, type Span } from './periods.ts';
import { Plot } from './plot.tsx';

/** The time span of the plot. It is in the address. */
export function useSpan() {
  const { span = 'month' } = useSearch({ from: '/dashboard' });
  const navigate = useNavigate({ from: '/dashboard' });
  const choose = (next: Span) =>
    void navigate({ search: next === 'month' ? {} : { span: next }, replace: true, resetScroll: false });
  return { span, choose };
}

/** Additions and adoptions by day, or by periods of several days. */
export function OverTime({ days }: { days: readonly DayNumbers[] }) {
  const t = useTranslations('dashboard');
  const { span, choose } = useSpan();
  const nameOf = usePeriodName();
  const periods = periodsOf(days, SPANS[span].daysPerPeriod);
  const sum = (pick: (period: Period) => number) => periods.reduce((total, period) => total + pick(period), 0);
  return (
    <Plot
      isWide
      title={t('time.title')}
      summary={t('time.summary', { added: sum(({ added }) => added), adopted: sum(({ adopted }) => adopted) })}
      table={{
        head: [t('time.from'), t('time.until'), t('added'), t('adopted'), t('deleted')],
        rows: periods.map(({ from, until, added, adopted, deleted }) => [from, until, added, adopted, deleted]),
      }}
      fileName={`pets-over-time-${span}`}
    >
      <fieldset className={styles['spans']}>
        <legend className="visually-hidden">{t('time.span')}</legend>
        {Object.keys(SPANS)
          .filter(isSpan)
          .map((each) => (
            <label key={each} className={styles['span']}>
              <input
                type="radio"
                name="span"
                className="covering"
                checked={each === span}
                onChange={() => choose(each)}
              />
              {t(`time.spans.${each}`)}
            </label>
          ))}
      </fieldset>
      <DaysPlot title={t('time.title')} periods={periods} nameOf={nameOf} />
    </Plot>
  );
}

/** Days are in UTC: in the time zone of the user, many would have the date of the day before. */
function usePeriodName(): (period: Period) => string {
  const format = useFormatter();
  return ({ from }) =>
    format.dateTime(new Date(`${from}T00:00:00Z`), { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
