import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ENQUIRY_LIMITS, VISIT_DAYS } from '../api/enquiry-rules.ts';
import { MenagerieError } from '../../../client/failures.ts';
import accountStyles from '../../../web/account/entry/account.module.css';
import { Button } from '../../../web/design/buttons.tsx';
import { AreaField } from '../../../web/design/fields/area-field.tsx';
import { SelectField, TextField } from '../../../web/design/fields/field.tsx';
import { bootstrap } from '../../../web/service/bootstrap.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { isLongLimit } from '../../../web/service/long-limit.ts';
import { useLanguage } from '../../../web/texts/loaded-texts.ts';
import type { Faults, FieldPath } from './draft-checks.ts';
import type { EnquiryDraft, TextName } from './enquiry-draft.ts';
import { VISIT_ANCHOR } from './enquiry-link.tsx';
import { choicesOf, type EnquiryForm, type Question, type ShownChoice } from './enquiry-form.ts';

interface QuestionFieldProps {
  question: Question;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

interface EnquiryFieldsProps {
  form: EnquiryForm;
  draft: EnquiryDraft;
  onChange: (draft: EnquiryDraft) => void;
  faults: Faults;
  /** Counts how often the form was checked: each time, the focus moves to the first fault. */
  faultCount: number;
  error: Error | null;
  isBusy: boolean;
  /** @param website the value of the field that people do not see */
  onSubmit: (website: string) => void;
}

export function EnquiryFields({ form, draft, onChange, isBusy, onSubmit, ...problems }: EnquiryFieldsProps) {
  const t = useTranslations('enquire');
  const trap = useRef<HTMLInputElement>(null);
  const fields = useFocusOnFault(problems);
  const errorAt = useErrorAt(problems);
  const text = (name: TextName) => ({ name, label: t(name), value: draft[name], error: errorAt(`/${name}`) });
  const input = (name: TextName) => ({
    ...text(name),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange({ ...draft, [name]: currentTarget.value }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(valueOfTrap(trap.current));
  };
  return (
    <form ref={fields} className="stack" noValidate onSubmit={submit}>
      <TextField {...input('name')} autoComplete="name" maxLength={ENQUIRY_LIMITS.nameLength} required />
      <div className={accountStyles['pair']}>
        <TextField
          {...input('email')}
          type="email"
          autoComplete="email"
          maxLength={ENQUIRY_LIMITS.emailLength}
          required
        />
        <TextField {...input('phone')} type="tel" autoComplete="tel" maxLength={ENQUIRY_LIMITS.phoneLength} />
      </div>
      <VisitDays draft={draft} onChange={onChange} />
      {form.questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          value={draft.answers[question.id] ?? ''}
          error={errorAt(`/answers/${question.id}`)}
          onChange={(answer) => onChange({ ...draft, answers: { ...draft.answers, [question.id]: answer } })}
        />
      ))}
      <AreaField
        {...text('message')}
        rows={7}
        maxLength={ENQUIRY_LIMITS.messageLength}
        required
        onChange={(message) => onChange({ ...draft, message })}
      />
      {/* Programs fill in every field. People neither see nor reach this one. */}
      <div className="visually-hidden" aria-hidden="true">
        <label>
          Website <input ref={trap} name="website" tabIndex={-1} autoComplete="off" />
        </label>
      </div>
      <p className="soft small">{t('privacy', { shelter: bootstrap.site.name, days: form.retentionDays ?? 0 })}</p>
      <SendError {...problems} />
      <div>
        <Button type="submit" loading={isBusy}>
          {t('send')}
        </Button>
      </div>
    </form>
  );
}

/** Days on which the person could visit the pet. */
function VisitDays({ draft, onChange }: Pick<EnquiryFieldsProps, 'draft' | 'onChange'>) {
  const t = useTranslations('enquire.visit');
  const [isOpen] = useState(() => location.hash === `#${VISIT_ANCHOR}` || draft.visitDays.some((day) => day !== ''));
  const [[first, last]] = useState(() => [0, VISIT_DAYS.daysAhead].map(daysFromToday));
  const days = Array.from({ length: VISIT_DAYS.most }, (_, index) => draft.visitDays[index] ?? '');
  return (
    <details id={VISIT_ANCHOR} open={isOpen}>
      <summary>{t('title')}</summary>
      <p className="soft small">{t('help')}</p>
      <div className={accountStyles['pair']}>
        {days.map((day, index) => (
          <TextField
            key={index}
            label={t('day', { number: index + 1 })}
            type="date"
            min={first}
            max={last}
            value={day}
            onChange={({ currentTarget: { value } }) => onChange({ ...draft, visitDays: days.with(index, value) })}
          />
        ))}
      </div>
    </details>
  );
}

/** Where the person lives, as date inputs have it. */
function daysFromToday(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

/** A browser that fills in forms for people is none of the programs that are meant. */
function valueOfTrap(trap: HTMLInputElement | null): string {
  return trap === null || trap.matches(':autofill') ? '' : trap.value;
}

/** Moves the focus to the first wrong field, when the form was checked or the service has refused it. */
function useFocusOnFault({ faultCount, error }: Pick<EnquiryFieldsProps, 'faultCount' | 'error'>) {
  const fields = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (faultCount > 0) focusFault(fields.current);
  }, [faultCount]);
  useEffect(() => {
    if (error !== null) focusFault(fields.current);
  }, [error]);
  return fields;
}

function focusFault(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
}

type Problems = Pick<EnquiryFieldsProps, 'faults' | 'error'>;

function useErrorAt({ faults, error }: Problems): (path: FieldPath) => string | undefined {
  const t = useTranslations('enquire.fault');
  return (path) => {
    const isRefused = error instanceof MenagerieError && error.errors.some((each) => each.path === path);
    const fault = faults.get(path) ?? (isRefused ? 'malformed' : undefined);
    if (fault === undefined) return undefined;
    return path === '/email' && fault === 'malformed' ? t('email') : t(fault);
  };
}

/** The live region is always mounted, so that the error is announced. */
function SendError({ faults, error }: Problems) {
  const t = useTranslations('enquire');
  const failureText = useFailureText();
  const isOfFields = faults.size > 0 || (error instanceof MenagerieError && error.errors.length > 0);
  return (
    <div role="alert">
      {(isOfFields || error !== null) && (
        <p className="note" data-tone="danger">
          {isOfFields ? t('wrongFields') : isLongLimit(error) ? t('tooMany') : failureText(error)}
        </p>
      )}
    </div>
  );
}

function QuestionField({ question, ...field }: QuestionFieldProps) {
  const t = useTranslations('enquire');
  const language = useLanguage();
  const { text, type, required } = question;
  const texts = { label: text[language], required, ...field };
  if (type === 'text') return <AreaField {...texts} rows={2} maxLength={ENQUIRY_LIMITS.answerLength} />;
  const yesNo: readonly ShownChoice[] = [
    { value: 'yes', label: t('yes') },
    { value: 'no', label: t('no') },
  ];
  return (
    <SelectField {...texts} onChange={({ currentTarget }) => field.onChange(currentTarget.value)}>
      <option value="">{t(required ? 'choose' : 'noAnswer')}</option>
      {(type === 'yes-no' ? yesNo : choicesOf(question, language)).map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}
