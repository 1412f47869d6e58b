import { useEffect, useRef, type Ref } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { FormNotice } from '../merging/form-notices.tsx';
import type { ProfileProblem } from './profile-check.ts';
import type { OwnField } from './profile-inputs.ts';
import { controlId } from './profile-sections.ts';
import { useLabelOf, useProfileProblemText, useValueOrAbsence } from './profile-words.ts';
import type { ProfileForm } from './use-profile-form.ts';

interface ProfileNoticesProps {
  formId: string;
  form: ProfileForm;
}

/** Why the profile was not saved: invalid fields, other changes, or a failure. Receives the focus. */
export function ProfileNotices({ formId, form }: ProfileNoticesProps) {
  const t = useTranslations('profileForm');
  const notice = useRef<HTMLDivElement>(null);
  const { failures, conflict, shownProblems } = form;
  useEffect(() => {
    if (failures > 0) notice.current?.focus();
  }, [failures]);
  if (conflict !== undefined) return <ConflictNotice form={form} ref={notice} />;
  if (failures > 0 && shownProblems.length > 0)
    return (
      <FormNotice ref={notice} isError title={t('refused.problems', { count: shownProblems.length })}>
        <ul>
          {shownProblems.map((problem) => (
            <li key={problem.name ?? problem.message}>
              <ProblemLink formId={formId} problem={problem} ownFields={form.ownFields} />
            </li>
          ))}
        </ul>
      </FormNotice>
    );
  return null;
}

interface ProblemLinkProps {
  formId: string;
  problem: ProfileProblem;
  ownFields: readonly OwnField[];
}

function ProblemLink({ formId, problem, ownFields }: ProblemLinkProps) {
  const labelOf = useLabelOf(ownFields);
  const text = useProfileProblemText()(problem);
  const { name } = problem;
  if (name === undefined) return text;
  const id = controlId(formId, name);
  return (
    <a
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(id)?.focus();
      }}
    >
      {labelOf(name)}: {text}
    </a>
  );
}

/** Both values of each field, and the choice between them. Nothing is lost: the input stays until it is saved. */
function ConflictNotice({ form, ref }: { form: ProfileForm; ref: Ref<HTMLDivElement> }) {
  const t = useTranslations('profileForm.newer');
  const format = useFormatter();
  const labelOf = useLabelOf(form.ownFields);
  const valueText = useValueOrAbsence(form.ownFields);
  if (form.conflict === undefined) return null;
  const { names, newer } = form.conflict;
  const actions = (
    <>
      <Button onClick={() => form.keep('mine')}>{t('mine')}</Button>
      <Button variant="default" onClick={() => form.keep('theirs')}>
        {t('theirs')}
      </Button>
    </>
  );
  return (
    <FormNotice ref={ref} isError title={t('title')} actions={actions}>
      {t('text', { fields: format.list(names.map(labelOf)) })}
      <ul>
        {names.map((name) => (
          <li key={name}>
            {labelOf(name)}:{' '}
            {t('value', {
              mine: valueText(name, form.mine),
              theirs: valueText(name, newer.inputs),
            })}
          </li>
        ))}
      </ul>
    </FormNotice>
  );
}
