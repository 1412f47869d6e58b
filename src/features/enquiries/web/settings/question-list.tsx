import { ArrowDown, ArrowUp, CirclePlus, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { QUESTION_LIMITS, QUESTION_TYPES } from '../../api/enquiry-rules.ts';
import { Section } from '../../../../web/account/section.tsx';
import { isWrongAt } from '../../../../web/administration/organisation/form-parts.tsx';
import { Button } from '../../../../web/design/buttons.tsx';
import { AreaField } from '../../../../web/design/fields/area-field.tsx';
import { SelectField, TextField } from '../../../../web/design/fields/field.tsx';
import { moved, newQuestion, type QuestionFields } from './settings-fields.ts';

interface QuestionListProps {
  questions: readonly QuestionFields[];
  error: Error | null;
  onChange: (questions: readonly QuestionFields[]) => void;
}

const ICON = { size: '1.1em', 'aria-hidden': true } as const;

/** The questions of the shelter, in the order of the form. */
export function QuestionList({ questions, error, onChange }: QuestionListProps) {
  const t = useTranslations('enquirySettings');
  const isFull = questions.length >= QUESTION_LIMITS.questions;
  return (
    <Section title={t('questions')} lead={t('questionsLead', { count: QUESTION_LIMITS.questions })}>
      {questions.map((question, index) => (
        <OneQuestion
          key={question.id}
          number={index + 1}
          question={question}
          isWrong={isWrongAt(error, `/questions/${index}`)}
          onChange={(part) => onChange(questions.with(index, { ...question, ...part }))}
          onDelete={() => onChange(questions.toSpliced(index, 1))}
          onMoveUp={index > 0 ? () => onChange(moved(questions, index, -1)) : undefined}
          onMoveDown={index < questions.length - 1 ? () => onChange(moved(questions, index, 1)) : undefined}
        />
      ))}
      <div>
        <Button
          variant="default"
          leftSection={<CirclePlus {...ICON} />}
          disabled={isFull}
          onClick={() => onChange([...questions, newQuestion(questions)])}
        >
          {t('add')}
        </Button>
      </div>
    </Section>
  );
}

interface OneQuestionProps {
  number: number;
  question: QuestionFields;
  isWrong: boolean;
  onChange: (part: Partial<QuestionFields>) => void;
  onDelete: () => void;
  onMoveUp: (() => void) | undefined;
  onMoveDown: (() => void) | undefined;
}

function OneQuestion({ number, question, isWrong, onChange, ...actions }: OneQuestionProps) {
  const t = useTranslations('enquirySettings');
  const { en, de, type, required, choices } = question;
  const text = { maxLength: QUESTION_LIMITS.textLength };
  return (
    <fieldset className="stack">
      <legend>{t('question', { number })}</legend>
      <TextField
        {...text}
        label={t('textEn')}
        value={en}
        error={isWrong ? t('wrong') : undefined}
        onChange={({ currentTarget }) => onChange({ en: currentTarget.value })}
      />
      <TextField
        {...text}
        label={t('textDe')}
        value={de}
        onChange={({ currentTarget }) => onChange({ de: currentTarget.value })}
      />
      <SelectField
        label={t('type')}
        value={type}
        onChange={({ currentTarget }) =>
          onChange({ type: QUESTION_TYPES.find((each) => each === currentTarget.value) ?? 'text' })
        }
      >
        {QUESTION_TYPES.map((each) => (
          <option key={each} value={each}>
            {t(`types.${each}`)}
          </option>
        ))}
      </SelectField>
      {type === 'choice' && (
        <AreaField
          label={t('choices')}
          description={t('choicesHint')}
          rows={4}
          value={choices}
          onChange={(lines) => onChange({ choices: lines })}
        />
      )}
      <label>
        <input
          type="checkbox"
          checked={required}
          onChange={({ currentTarget }) => onChange({ required: currentTarget.checked })}
        />{' '}
        {t('required')}
      </label>
      <QuestionActions number={number} {...actions} />
    </fieldset>
  );
}

/** A button that can't be used keeps the focus: after the last step, the user is still there. */
function QuestionActions({
  number,
  onDelete,
  onMoveUp,
  onMoveDown,
}: Pick<OneQuestionProps, 'number' | 'onDelete' | 'onMoveUp' | 'onMoveDown'>) {
  const t = useTranslations('enquirySettings');
  return (
    <div className="row">
      <Button
        variant="default"
        leftSection={<ArrowUp {...ICON} />}
        aria-disabled={onMoveUp === undefined}
        onClick={onMoveUp}
      >
        {t('moveUp', { number })}
      </Button>
      <Button
        variant="default"
        leftSection={<ArrowDown {...ICON} />}
        aria-disabled={onMoveDown === undefined}
        onClick={onMoveDown}
      >
        {t('moveDown', { number })}
      </Button>
      <Button variant="subtle" leftSection={<Trash2 {...ICON} />} onClick={onDelete}>
        {t('delete', { number })}
      </Button>
    </div>
  );
}
