import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { OUTCOMES } from '../../transfer/row-result.ts';
import { BYTE_ORDER_MARK, csvText } from '../../transfer/csv.ts';
import { problemText } from '../../transfer/source-row.ts';
import { useFailureText } from '../service/failure-text.ts';
import { downloadText } from '../service/files.ts';
import { ProblemList } from './problem-list.tsx';
import type { ImportReport } from './use-import.ts';
import styles from './transfer.module.css';

/** The result of an import, which can be saved as a file. */
export function ReportView({ report }: { report: ImportReport }) {
  const t = useTranslations('transfer.report');
  const outcome = useTranslations('transfer.outcomes');
  const failureText = useFailureText();
  const { counts, total, results, problems, isCancelled, error } = report;
  const isEarly = isCancelled || error !== undefined;
  return (
    <div className={styles['stack']}>
      <h3>{t(isCancelled ? 'cancelled' : error === undefined ? 'title' : 'stopped')}</h3>
      {error !== undefined && (
        <p role="alert" className="wrong">
          {failureText(error)}
        </p>
      )}
      <ul className={styles['counts']}>
        {OUTCOMES.filter((each) => counts[each] > 0).map((each) => (
          <li key={each}>
            {outcome(each)}: {t('count', { count: counts[each] })}
          </li>
        ))}
      </ul>
      {isEarly && <p>{t('again', { done: results.length, total })}</p>}
      <ProblemList problems={problems} count={counts.failed + counts.incomplete} />
      <div>
        <Button
          variant="default"
          leftSection={<Download size="1.1em" aria-hidden />}
          onClick={() => downloadText(resultText(report), 'result.csv', 'text/csv')}
        >
          {t('save')}
        </Button>
      </div>
    </div>
  );
}

/** In the form of `menagerie pets import --result`. */
function resultText({ results }: ImportReport): string {
  const rows = results.map(({ row, outcome, id, problems, leftOut }) => [
    String(row),
    outcome,
    id === undefined ? '' : String(id),
    problems.map(problemText).join('; ') || (leftOut ?? ''),
  ]);
  return BYTE_ORDER_MARK + csvText([['row', 'outcome', 'id', 'error'], ...rows]);
}
