import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { FormNotice } from './form-notice.tsx';
import type { Problem } from './pet-check.ts';
import { useProblemText } from './problem-text.ts';
import type { Saving } from './saving/use-saving.ts';

interface ProblemsNoticeProps {
  /** Of each field, the control has the id `${formId}-${field}`. */
  formId: string;
  saving: Saving;
  problems: readonly Problem[];
}

/** All that is wrong, with links to the fields. The focus comes here when saving was tried, or to the field where it is only one. */
export function ProblemsNotice({ formId, saving, problems }: ProblemsNoticeProps) {
  const t = useTranslations('editing');
  const problemText = useProblemText();
  const notice = useRef<HTMLDivElement>(null);
  const { failures, failure } = saving;
  const announced = useRef(0);
  const [first, ...others] = problems;
  const only = others.length === 0 ? controlOf(formId, first) : undefined;
  useEffect(() => {
    if (failures === announced.current) return;
    announced.current = failures;
    if (failure !== undefined) return;
    const control = only === undefined ? null : document.getElementById(only);
    (control ?? notice.current)?.focus();
  }, [failures, failure, only]);

  if (failures === 0 || problems.length === 0) return null;
  return (
    <FormNotice ref={notice} isTrouble title={t('problem.title', { count: problems.length })}>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.field ?? ''} ${problem.rule} ${problem.tag ?? ''}`}>
            <ToField id={controlOf(formId, problem)}>
              {problem.field !== undefined && `${t(`field.${problem.field}`)}: `}
              {problemText(problem)}
            </ToField>
          </li>
        ))}
      </ul>
    </FormNotice>
  );
}

function controlOf(formId: string, problem: Problem | undefined): string | undefined {
  return problem?.field === undefined ? undefined : `${formId}-${problem.field}`;
}

function ToField({ id, children }: { id: string | undefined; children: React.ReactNode }) {
  if (id === undefined) return children;
  return (
    <a
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(id)?.focus();
      }}
    >
      {children}
    </a>
  );
}
