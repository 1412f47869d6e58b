import { useTranslations } from 'use-intl';
import { ENQUIRY_LIMITS } from '../../api/web/enquiry-rules.ts';
import { AreaField } from '../design/fields/area-field.tsx';
import { SelectField } from '../design/fields/field.tsx';
import { useLanguage } from '../texts/loaded-texts.ts';
import { choicesOf, type Question, type ShownChoice } from './enquiry-form.ts';

interface QuestionFieldProps {
  question: Question;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** The field for the answer to a question of the shelter. */
export function QuestionField({ question, ...field }: QuestionFieldProps) {
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
