import type { StoredEnquirySettings } from '../domain/enquiry-administration.ts';
import type { EnquiryForm as DomainForm } from '../domain/enquiry-reception.ts';
import {
  QUESTION_ID,
  QUESTION_LIMITS,
  QUESTION_TYPES,
  RETENTION_DAYS,
  type EnquirySettings as DomainSettings,
  type QuestionChoice,
  type QuestionType,
} from '../domain/enquiry-settings.ts';
import { ENQUIRY_LANGUAGES, ENQUIRY_LIMITS, type EnquiryLanguage } from '../domain/enquiry.ts';
import { MIN_FORM_MS } from '../domain/form-token.ts';
import { canonicalText } from '../../../domain/text.ts';
import {
  absent,
  count,
  exactly,
  nonEmptyText,
  optionalTime,
  text,
  textOrNull,
  time,
} from '../../../api/records/fields.ts';
import { recordText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* The form with which people write to the shelter about a pet. */

const LIMITS = QUESTION_LIMITS;

export const language = Type.Unsafe<EnquiryLanguage>({
  type: 'string',
  enum: [...ENQUIRY_LANGUAGES],
  message: `must be one of ${ENQUIRY_LANGUAGES.join(', ')}`,
});

const type = Type.Unsafe<QuestionType>({
  type: 'string',
  enum: [...QUESTION_TYPES],
  message: `must be one of ${QUESTION_TYPES.join(', ')}`,
});

const label = nonEmptyText(LIMITS.textLength);
const QuestionText = Type.Object(
  { en: label, de: label },
  { title: 'EnquiryQuestionText', message: 'must be an object with en and de' },
);

const Choice = Type.Object(
  { value: Type.String(), labelEn: Type.Optional(Type.String()), labelDe: Type.Optional(Type.String()) },
  { ...exactly('EnquiryChoice'), description: 'Without a label, pages show the value.' },
);

export const EnquiryQuestion = Type.Object(
  {
    id: Type.String({ pattern: QUESTION_ID, description: 'Unique. Answers have the value under this ID.' }),
    text: QuestionText,
    type,
    required: Type.Boolean(),
    choices: Type.Optional(Type.Array(Choice, { description: 'For the type `choice`.' })),
  },
  exactly('EnquiryQuestion'),
);
export type EnquiryQuestion = Type.Static<typeof EnquiryQuestion>;

export const EnquirySettings = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether pets have the form.' }),
    recipient: Type.Optional(Type.String({ description: 'Without one, the e-mail address of the organisation.' })),
    language: Type.Unsafe<EnquiryLanguage>({ ...language, description: 'That of messages to the shelter.' }),
    retentionDays: count('Enquiries are deleted after these days.'),
    questions: Type.Array(EnquiryQuestion),
    sendsTo: textOrNull('The address that gets messages about enquiries; null if none are sent. Ignored in requests.'),
  },
  exactly('EnquirySettings'),
);
export type EnquirySettings = Type.Static<typeof EnquirySettings>;

const SentChoice = Type.Object(
  {
    value: nonEmptyText(LIMITS.valueLength),
    labelEn: absent(text(LIMITS.valueLength)),
    labelDe: absent(text(LIMITS.valueLength)),
  },
  { title: 'SentEnquiryChoice', message: 'must be an object with a value' },
);

const SentQuestion = Type.Object(
  {
    id: Type.Unsafe<string>({
      type: 'string',
      pattern: QUESTION_ID,
      message: 'must have 1 to 40 letters and digits, and begin with a lower-case letter from a to z',
    }),
    text: QuestionText,
    type,
    required: absent(Type.Boolean({ message: 'must be true or false' })),
    choices: absent(
      Type.Array(SentChoice, {
        maxItems: LIMITS.choices,
        message: `must be an array of at most ${LIMITS.choices} choices`,
      }),
    ),
  },
  { title: 'SentEnquiryQuestion', message: 'must be an object with id, text and type' },
);

export const SentEnquirySettings = Type.Object(
  {
    enabled: Type.Boolean({ message: 'must be true or false' }),
    recipient: absent(text(ENQUIRY_LIMITS.emailLength)),
    language: absent(language),
    retentionDays: absent(
      Type.Integer({
        minimum: RETENTION_DAYS.min,
        maximum: RETENTION_DAYS.max,
        message: `must be an integer from ${RETENTION_DAYS.min} to ${RETENTION_DAYS.max}`,
      }),
    ),
    questions: absent(
      Type.Array(SentQuestion, {
        maxItems: LIMITS.questions,
        message: `must be an array of at most ${LIMITS.questions} questions`,
      }),
    ),
  },
  { title: 'SentEnquirySettings', message: 'must be a JSON object with enabled' },
);
export type SentEnquirySettings = Type.Static<typeof SentEnquirySettings>;

/** Null and an empty recipient mean absent, and other fields of the request are ignored. */
export function readEnquirySettings(sent: SentEnquirySettings): DomainSettings {
  const { enabled, recipient, language = 'en', retentionDays, questions } = sent;
  return {
    enabled,
    ...(recipient && { recipient: recipient.trim() }),
    language: language ?? 'en',
    questions: (questions ?? []).map(({ id, text: { en, de }, type, required, choices }) => ({
      id,
      text: { en: canonicalText(en), de: canonicalText(de) },
      type,
      required: required ?? false,
      ...(choices && choices.length > 0 && { choices: choices.map(readChoice) }),
    })),
    retentionDays: retentionDays ?? RETENTION_DAYS.usual,
  };
}

function readChoice({ value, labelEn, labelDe }: Type.Static<typeof SentChoice>): QuestionChoice {
  return { value: canonicalText(value), ...(labelEn && { labelEn }), ...(labelDe && { labelDe }) };
}

export function enquirySettingsText({ settings, sendsTo }: StoredEnquirySettings): string {
  const { enabled, recipient, language, retentionDays, questions } = settings;
  return recordText<EnquirySettings>({
    enabled,
    recipient,
    language,
    retentionDays,
    questions,
    sendsTo: sendsTo ?? null,
  });
}

export const EnquiryForm = Type.Object(
  {
    isOpen: Type.Boolean({ description: 'Whether the shelter takes enquiries of this client about the pet now.' }),
    closedUntil: Type.Optional(
      time('Only if there were too many enquiries of all clients or of this network: when to try again.'),
    ),
    token: Type.Optional(Type.String({ description: 'To be sent with the enquiry, once. Absent if it is not open.' })),
    expiresAt: Type.Optional(time('When the token expires.')),
    minSeconds: count('An enquiry that is sent earlier is refused.'),
    retentionDays: Type.Optional(count('Enquiries are deleted after these days.')),
    questions: Type.Array(EnquiryQuestion),
  },
  exactly('EnquiryForm'),
);
export type EnquiryForm = Type.Static<typeof EnquiryForm>;

export function enquiryFormText(form: DomainForm): string {
  const { token, closedUntilMs, expiresAtMs, retentionDays, questions } = form;
  return recordText<EnquiryForm>({
    isOpen: token !== undefined,
    closedUntil: optionalTime(closedUntilMs),
    token,
    expiresAt: optionalTime(expiresAtMs),
    minSeconds: MIN_FORM_MS / 1000,
    retentionDays,
    questions,
  });
}
