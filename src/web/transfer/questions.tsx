import { useTranslations } from 'use-intl';
import type { Answers, Question } from '../../transfer/profiles/conventions.ts';
import { DATE_ORDERS } from '../../transfer/profiles/profile-dates.ts';
import { SelectField } from '../design/fields/field.tsx';
import styles from './transfer.module.css';

const CHOICES = { dates: DATE_ORDERS, weights: ['kg', 'lb'] } as const;

interface QuestionsProps {
  questions: readonly Question[];
  answers: Answers;
  isDisabled: boolean;
  onAnswer: (answer: Answers) => void;
}

/** Asks what the file does not say, and shows what the country decides. A question stays with its answer. */
export function Questions({ questions, answers, isDisabled, onAnswer }: QuestionsProps) {
  const t = useTranslations('transfer.questions');
  const shown = (['dates', 'weights'] as const).flatMap((about) => {
    const question = questions.find((each) => each.about === about);
    return question === undefined && answers[about] === undefined ? [] : [{ about, question }];
  });
  if (shown.length === 0) return null;
  return (
    <div className={styles['fields']}>
      {shown.map(({ about, question }) => (
        <SelectField
          key={about}
          label={t(about)}
          description={
            question &&
            t(question.assumed === undefined ? 'example' : 'assumed', {
              column: question.name,
              value: question.example,
            })
          }
          value={answers[about] ?? question?.assumed ?? ''}
          disabled={isDisabled}
          onChange={({ currentTarget: { value } }) =>
            onAnswer({ [about]: CHOICES[about].find((each) => each === value) })
          }
        >
          <option value="">{t('choose')}</option>
          {CHOICES[about].map((each) => (
            <option key={each} value={each}>
              {t(`choices.${each}`)}
            </option>
          ))}
        </SelectField>
      ))}
    </div>
  );
}
