import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError, NetworkError } from '../../contract/client/failures.ts';
import { useFailureText } from '../service/failure-text.ts';
import { FormNotice } from './form-notice.tsx';
import type { Problem } from './pet-check.ts';
import { useProblemText } from './problem-text.ts';
import { isGone, type Saving } from './saving/use-saving.ts';

interface RefusalNoticeProps {
  /** Of the form: of each field, its control has the id `${formId}-${field}`. */
  formId: string;
  saving: Saving;
  problems: readonly Problem[];
  isOnline: boolean;
}

const UNAUTHENTICATED = 401;

/** Tells above the form why it is not saved, with links to the fields; the focus comes here, or to the field where it is only one. */
export function RefusalNotice({ formId, saving, problems, isOnline }: RefusalNoticeProps) {
  const t = useTranslations('editing');
  const problemText = useProblemText();
  const explain = useExplanation();
  const notice = useRef<HTMLDivElement>(null);
  const { failures, failure } = saving;
  const fields = problems.map(({ field }) => field);
  const only = new Set(fields).size === 1 && failure === undefined ? fields[0] : undefined;
  const toldFailures = useRef(0);
  useEffect(() => {
    if (failures === toldFailures.current) return;
    toldFailures.current = failures;
    const control = only === undefined ? null : document.getElementById(`${formId}-${only}`);
    (control ?? notice.current)?.focus();
  }, [failures, only, formId]);

  if (failures === 0) return null;
  if (failure === undefined && problems.length === 0) return null;
  if (failure !== undefined)
    return (
      <FormNotice ref={notice} isTrouble title={t('refused.title')}>
        {explain(failure, isOnline)} {isGone(failure) && <Link to="/pets/removed">{t('refused.toRemoved')}</Link>}
      </FormNotice>
    );
  return (
    <FormNotice ref={notice} isTrouble title={t('problem.title', { count: problems.length })}>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.field ?? ''} ${problem.rule} ${problem.tag ?? ''}`}>
            {problem.field === undefined ? (
              problemText(problem)
            ) : (
              <a
                href={`#${formId}-${problem.field}`}
                onClick={(event) => {
                  event.preventDefault();
                  document.getElementById(`${formId}-${problem.field ?? ''}`)?.focus();
                }}
              >
                {t(`field.${problem.field === 'photoUrls' ? 'pictures' : problem.field}`)}: {problemText(problem)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </FormNotice>
  );
}

function useExplanation(): (failure: unknown, isOnline: boolean) => string {
  const t = useTranslations('editing.refused');
  const failureText = useFailureText();
  return (failure, isOnline) => {
    if (failure instanceof NetworkError) return t(isOnline ? 'network' : 'offline');
    if (failure instanceof MenagerieError && failure.status === UNAUTHENTICATED) return t('session');
    return isGone(failure) ? t('gone') : failureText(failure);
  };
}
