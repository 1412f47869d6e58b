import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { useFailureText } from '../../service/failure-text.ts';
import { closeReport, type Report } from './bulk-work.ts';
import { useBulkActions } from './bulk-actions.ts';
import styles from './report-dialog.module.css';

/** Lists the pets for which a bulk change failed, and why. */
export function ReportDialog({ report }: { report: Report }) {
  const t = useTranslations('listEditing.bulk');
  const { undo } = useBulkActions();
  const whyOf = useReason(report);
  const { isUndo, isStopped, outcome } = report;
  const { changed, failed, unchangedCount } = outcome;
  const canUndo = !isUndo && changed.length > 0;
  const actions = (
    <>
      {canUndo && (
        <Button variant="default" onClick={() => undo(report)}>
          {t('undoDone', { count: changed.length })}
        </Button>
      )}
      <Button onClick={closeReport} data-autofocus>
        {t('close')}
      </Button>
    </>
  );
  return (
    <Dialog isOpen onClose={closeReport} title={t(isStopped ? 'stopped' : 'partly')} actions={actions}>
      <p>{t(isUndo ? 'undoneCount' : 'doneCount', { count: changed.length, failed: failed.length })}</p>
      {unchangedCount > 0 && <p>{t('unchangedCount', { count: unchangedCount })}</p>}
      <div role="region" className={styles['failures']} tabIndex={0} aria-label={t('failures')}>
        <ul>
          {failed.map(({ pet, error }) => (
            <li key={String(pet.id)}>
              <strong>{pet.name}</strong>
              <span>{whyOf(error)}</span>
            </li>
          ))}
        </ul>
      </div>
      {!isUndo && <p className="soft">{t('stillSelected')}</p>}
    </Dialog>
  );
}

function useReason({ isStopped }: Report): (error: unknown) => string {
  const t = useTranslations('listEditing.bulk');
  const failureText = useFailureText();
  return (error) =>
    isStopped && error instanceof DOMException && error.name === 'AbortError' ? t('notReached') : failureText(error);
}
