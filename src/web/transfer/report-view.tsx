import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button, LinkButton } from '../design/buttons.tsx';
import { showNotice } from '../design/notices.ts';
import { OUTCOMES } from '../../transfer/row-result.ts';
import { BYTE_ORDER_MARK, csvText } from '../../transfer/csv.ts';
import { problemText } from '../../transfer/source-row.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { downloadText } from '../service/files.ts';
import { PETS_KEY } from '../service/queries.ts';
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
      <Drafts results={results} />
      {isEarly && <p>{t('again', { done: results.length, total })}</p>}
      <ProblemList problems={problems} />
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

/** New pets that are not published, all of which a click publishes. */
function Drafts({ results }: Pick<ImportReport, 'results'>) {
  const t = useTranslations('transfer.report');
  const failureText = useFailureText();
  const queries = useQueryClient();
  const ids = results.flatMap(({ id, isDraft = false }) => (isDraft && id !== undefined ? [id] : []));
  const { mutate, isPending, isSuccess } = useAction({
    mutationFn: () => publishAll(ids),
    onSuccess: async (failed) => {
      showNotice({ text: t('published', { count: ids.length - failed }) });
      if (failed > 0) showNotice({ text: t('notPublished', { count: failed }), isError: true });
      await queries.invalidateQueries({ queryKey: PETS_KEY });
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  if (ids.length === 0 || isSuccess) return null;
  return (
    <div className="row">
      <p>{t('drafts', { count: ids.length })}</p>
      <LinkButton to="/" search={{ published: 'false' }} variant="default">
        {t('look')}
      </LinkButton>
      <Button loading={isPending} onClick={() => mutate()}>
        {t('publish', { count: ids.length })}
      </Button>
    </div>
  );
}

const PUBLISHED_AT_ONCE = 1000;

/** @returns the number of pets that were not published */
async function publishAll(ids: readonly bigint[]): Promise<number> {
  let failed = 0;
  for (let start = 0; start < ids.length; start += PUBLISHED_AT_ONCE) {
    const some = ids.slice(start, start + PUBLISHED_AT_ONCE);
    const body = some.map((id) => ({ op: 'patch' as const, id, profile: { isPublished: null } }));
    const results = await client.changePets({ body });
    failed += results.filter((result) => !('id' in result)).length;
  }
  return failed;
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
