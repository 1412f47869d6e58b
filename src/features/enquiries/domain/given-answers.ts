import type { FieldProblem } from '../../../domain/failure.ts';
import { canonicalText } from '../../../domain/text.ts';
import { ENQUIRY_LIMITS, type EnquiryLanguage, type GivenAnswer } from './enquiry.ts';
import type { Question } from './enquiry-settings.ts';

/** The answers in a request, by the id of the question. Null means that there is none. */
export type SentAnswers = Readonly<Record<string, string | boolean | null>>;

/** @returns the answers in the order of the questions, and what is wrong with them */
export function checkAnswers(
  questions: readonly Question[],
  sent: SentAnswers,
  language: EnquiryLanguage,
): { answers: readonly GivenAnswer[]; problems: readonly FieldProblem[] } {
  const known = new Set(questions.map(({ id }) => id));
  const unknown = Object.keys(sent).filter((id) => !known.has(id));
  const problems = unknown.map((id) => ({ path: `/answers/${id}`, message: 'is not the id of a question' }));
  const answers: GivenAnswer[] = [];
  for (const question of questions) {
    const { id, text } = question;
    const value = tidied(Object.hasOwn(sent, id) ? sent[id] : null);
    const message = faultOf(question, value);
    if (message !== undefined) problems.push({ path: `/answers/${id}`, message });
    else if (value !== null) answers.push({ id, question: text[language], answer: value });
  }
  return { answers, problems };
}

function tidied(value: string | boolean | null | undefined): string | boolean | null {
  if (typeof value !== 'string') return value ?? null;
  const text = canonicalText(value);
  return text === '' ? null : text;
}

function faultOf({ type, required, choices = [] }: Question, value: string | boolean | null): string | undefined {
  if (value === null) return required ? 'is required' : undefined;
  if (type === 'yes-no') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (typeof value !== 'string') return 'must be a text';
  if (type === 'choice' && !choices.some((choice) => choice.value === value))
    return `must be one of ${choices.map((choice) => choice.value).join(', ')}`;
  return isPlain(value) && Array.from(value).length <= ENQUIRY_LIMITS.answerLength
    ? undefined
    : `must have at most ${ENQUIRY_LIMITS.answerLength} characters, without U+0000 or unpaired surrogates`;
}

/** Whether every database can store it: the schema of a request does not say so of its answers. */
function isPlain(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
