import {
  OWN_FIELD_KEY,
  OWN_FIELD_LIMITS,
  OWN_FIELD_TYPES,
  type OwnField as DomainOwnField,
  type OwnFieldChoice,
  type OwnFieldType,
} from '../../../domain/organisation/own-field.ts';
import { canonicalText } from '../../../domain/text.ts';
import { absent, exactly, nonEmptyText, text } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* The fields that a shelter adds to the profiles of its pets. */

const LIMITS = OWN_FIELD_LIMITS;

const type = Type.Unsafe<OwnFieldType>({
  type: 'string',
  enum: [...OWN_FIELD_TYPES],
  description: 'The type of its values.',
  message: `must be one of ${OWN_FIELD_TYPES.join(', ')}`,
});

const label = nonEmptyText(LIMITS.labelLength);
const Label = Type.Object(
  { en: label, de: label },
  {
    title: 'OwnFieldLabel',
    description: 'The label in English and German.',
    message: 'must be an object with en and de',
  },
);

export const OwnField = Type.Object(
  {
    key: Type.String({ pattern: OWN_FIELD_KEY, description: 'Unique. Profiles have the value under this key.' }),
    type,
    label: Label,
    isPublic: Type.Boolean({ description: 'Whether everyone sees the field; otherwise those who may change pets.' }),
    choices: Type.Optional(
      Type.Array(
        Type.Object(
          {
            value: Type.String({ minLength: 1, description: 'The value in profiles.' }),
            labelEn: Type.Optional(Type.String({ description: 'The label in English. Without it, the value.' })),
            labelDe: Type.Optional(Type.String({ description: 'The label in German. Without it, the value.' })),
          },
          exactly('OwnFieldChoice'),
        ),
        { description: 'The possible values, for the type `choice`.' },
      ),
    ),
  },
  exactly('OwnField'),
);
export type OwnField = Type.Static<typeof OwnField>;

export const OwnFields = Type.Object(
  { fields: Type.Array(OwnField, { description: 'The fields in the order of pages.' }) },
  exactly('OwnFields'),
);
export type OwnFields = Type.Static<typeof OwnFields>;

const SentChoice = Type.Object(
  {
    value: nonEmptyText(LIMITS.valueLength),
    labelEn: absent(text(LIMITS.labelLength)),
    labelDe: absent(text(LIMITS.labelLength)),
  },
  { title: 'SentOwnFieldChoice', message: 'must be an object with a value' },
);

const SentOwnField = Type.Object(
  {
    key: Type.Unsafe<string>({
      type: 'string',
      pattern: OWN_FIELD_KEY,
      message: 'must have 1 to 40 letters and digits, and begin with a lower-case letter from a to z',
    }),
    type,
    label: Label,
    isPublic: Type.Boolean({ message: 'must be true or false' }),
    choices: absent(
      Type.Array(SentChoice, {
        maxItems: LIMITS.choices,
        message: `must be an array of at most ${LIMITS.choices} choices`,
      }),
    ),
  },
  { title: 'SentOwnField', message: 'must be an object with key, type, label and isPublic' },
);

export const SentOwnFields = Type.Object(
  {
    fields: Type.Array(SentOwnField, {
      maxItems: LIMITS.fields,
      message: `must be an array of at most ${LIMITS.fields} fields`,
    }),
  },
  { title: 'SentOwnFields', message: 'must be a JSON object with fields' },
);
export type SentOwnFields = Type.Static<typeof SentOwnFields>;

export function ownFieldsText(fields: readonly DomainOwnField[]): string {
  return recordText<OwnFields>({ fields });
}

/** Null means absent, and other fields of the request are ignored. */
export function readOwnFields({ fields }: SentOwnFields): readonly DomainOwnField[] {
  return fields.map(({ key, type, label: { en, de }, isPublic, choices }) => ({
    key,
    type,
    label: { en: canonicalText(en), de: canonicalText(de) },
    isPublic,
    ...(choices && choices.length > 0 && { choices: choices.map(readChoice) }),
  }));
}

function readChoice({ value, labelEn, labelDe }: Type.Static<typeof SentChoice>): OwnFieldChoice {
  return { value: canonicalText(value), ...(labelEn && { labelEn }), ...(labelDe && { labelDe }) };
}
