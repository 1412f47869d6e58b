import { CircleAlert, Info } from 'lucide-react';
import { useEffect, useRef, type ReactNode, type Ref } from 'react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import styles from './form-notice.module.css';
import { MenagerieError, NetworkError } from '../../../client/failures.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { isGone, type Saving } from '../form-state/use-saving.ts';
import type { Problem } from '../form-state/pet-check.ts';
import { PET_LIMITS } from '../../../api/records/pet.ts';

interface FormNoticeProps {
  title?: string;
  children: ReactNode;
  actions?: ReactNode;
  isError?: boolean;
  ref?: Ref<HTMLDivElement>;
}

export function FormNotice({ title, children, actions, isError = false, ref }: FormNoticeProps) {
  const Icon = isError ? CircleAlert : Info;
  return (
    <div ref={ref} tabIndex={-1} className={styles['notice']} data-tone={isError ? 'danger' : 'accent'}>
      <Icon size="1.35rem" aria-hidden />
      <div className={styles['content']}>
        {title !== undefined && <h2 className={styles['title']}>{title}</h2>}
        <div>{children}</div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
    </div>
  );
}

const UNAUTHENTICATED = 401;

/** A failure to save that is not about a field. Receives the focus. */
export function FailureNotice({ saving, isOnline }: { saving: Saving; isOnline: boolean }) {
  const t = useTranslations('editing.refused');
  const explain = useExplanation();
  const notice = useRef<HTMLDivElement>(null);
  const { failures, failure } = saving;
  useEffect(() => {
    if (failures > 0) notice.current?.focus();
  }, [failures]);
  if (failure === undefined) return null;
  return (
    <FormNotice ref={notice} isError title={t('title')}>
      {explain(failure, isOnline)} {isGone(failure) && <Link to="/pets/deleted">{t('toDeleted')}</Link>}
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

interface ProblemsNoticeProps {
  /** The control of a field has the ID `${formId}-${field}`. */
  formId: string;
  saving: Saving;
  problems: readonly Problem[];
}

/**
 * All problems, with links to the fields. After an attempt to save, receives the focus, or the only invalid field does.
 */
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
    <FormNotice ref={notice} isError title={t('problem.title', { count: problems.length })}>
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

function ToField({ id, children }: { id: string | undefined; children: ReactNode }) {
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

/** Describes a problem in the language of the page, or with the message of the service for an unknown rule. */
export function useProblemText(): (problem: Problem) => string {
  const t = useTranslations('editing.problem');
  return ({ field, rule, tag, message }) => {
    if (field === undefined || rule === 'other') return t('other', { message });
    if (field === 'photoUrls') return t('photos', { max: PET_LIMITS.photoUrls });
    if (rule === 'missing') return t('missing');
    if (rule === 'tooMany') return t('tooManyTags', { max: PET_LIMITS.tags });
    const about = tag === undefined ? 'text' : 'tag';
    return t(`${rule}.${about}`, { max: PET_LIMITS.nameLength, tag: shortened(tag ?? '') });
  };
}

const MAX_SHOWN_LENGTH = 40;

function shortened(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
