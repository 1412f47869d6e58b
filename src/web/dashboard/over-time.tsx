import { useNavigate, useSearch } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { Choices } from './choices.tsx';
import { LinePlot } from './line-plot.tsx';
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
  const format = useFormatter();
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
      <Choices
        label={t('time.span')}
        choices={Object.keys(SPANS).filter(isSpan)}
        nameOf={(each) => t(`time.spans.${each}`)}
        value={span}
        onChange={choose}
      />
      <LinePlot
        title={t('time.title')}
        names={periods.map(nameOf)}
        lines={[
          { name: t('added'), values: periods.map(({ added }) => added) },
          { name: t('adopted'), values: periods.map(({ adopted }) => adopted) },
        ]}
        textOf={(value) => format.number(value)}
      />
    </Plot>
  );
}

/** Days are in UTC: in the time zone of the user, many would have the date of the day before. */
function usePeriodName(): (period: Period) => string {
  const format = useFormatter();
  return ({ from }) =>
    format.dateTime(new Date(`${from}T00:00:00Z`), { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
