import type { ArgumentsOf, ResultOf } from '../../../../api/documents/operation-types.ts';
import type { QUESTION_TYPES } from '../../api/enquiry-rules.ts';

type Settings = ResultOf<'getEnquirySettings'>;
type Sent = ArgumentsOf<'updateEnquirySettings'>['body'];
type Choice = NonNullable<Settings['questions'][number]['choices']>[number];

/** A question as the form has it. */
export interface QuestionFields {
  id: string;
  en: string;
  de: string;
  type: (typeof QUESTION_TYPES)[number];
  required: boolean;
  /** One choice on each line. */
  choices: string;
  /** The choices before: lines that stay keep their values, which answers have. */
  before: readonly Choice[];
}

export interface SettingsFields extends Pick<Settings, 'enabled' | 'language'> {
  recipient: string;
  retentionDays: string;
  questions: readonly QuestionFields[];
}

export function fieldsOf({ enabled, recipient = '', language, retentionDays, questions }: Settings): SettingsFields {
  return {
    enabled,
    recipient,
    language,
    retentionDays: String(retentionDays),
    questions: questions.map(({ id, text: { en, de }, type, required, choices = [] }) => ({
      id,
      en,
      de,
      type,
      required,
      choices: choices.map(lineOf).join('\n'),
      before: choices,
    })),
  };
}

export function bodyOf({ enabled, recipient, language, retentionDays, questions }: SettingsFields): Sent {
  return {
    enabled,
    recipient,
    language,
    // The service refuses what is no number in its range.
    retentionDays: Number(retentionDays),
    questions: questions.map(({ id, en, de, type, required, choices, before }) => ({
      id,
      text: { en, de },
      type,
      required,
      choices: type === 'choice' ? choicesIn(choices, before) : [],
    })),
  };
}

/** Administrators never see the IDs of questions. */
export function newQuestion(others: readonly QuestionFields[]): QuestionFields {
  const used = new Set(others.map(({ id }) => id));
  let number = others.length + 1;
  while (used.has(`question${number}`)) number++;
  return { id: `question${number}`, en: '', de: '', type: 'text', required: false, choices: '', before: [] };
}

/** @returns the questions after moving one by a step */
export function moved(questions: readonly QuestionFields[], index: number, step: -1 | 1): readonly QuestionFields[] {
  const question = questions[index];
  return question === undefined ? questions : questions.toSpliced(index, 1).toSpliced(index + step, 0, question);
}

/** Such as `House | Haus`. */
function lineOf({ value, labelEn = value, labelDe }: Choice): string {
  return labelDe === undefined ? labelEn : `${labelEn} | ${labelDe}`;
}

function choicesIn(text: string, before: readonly Choice[]): readonly Choice[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => before.find((each) => lineOf(each) === line) ?? choiceOf(line));
}

function choiceOf(line: string): Choice {
  const [value = '', ...german] = line.split('|').map((part) => part.trim());
  const labelDe = german.join('|');
  return { value, ...(labelDe !== '' && { labelDe }) };
}
