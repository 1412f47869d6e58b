import type { TSchema } from 'typebox';
import { int64 } from '../../../api/records/fields.ts';
import * as Type from '../../../api/records/type.ts';
import { ENQUIRY_STATES, type EnquiryState } from '../domain/enquiry.ts';

const text = (description: string) => Type.String({ minLength: 1, description });

export const ENQUIRY_FILTER = {
  state: Type.Optional(
    Type.Unsafe<EnquiryState>({ type: 'string', enum: [...ENQUIRY_STATES], description: 'The state.' }),
  ),
  petId: Type.Optional(int64('The ID of the pet.')),
  assignee: Type.Optional(text('The user name of the assignee.')),
  unassigned: Type.Optional(Type.Boolean({ description: '`true`: those without an assignee.' })),
  text: Type.Optional(text('A part of a text of the person, or of the pet name.')),
  email: Type.Optional(text('The whole e-mail address of the person.')),
};

/** The names of parameters that share theirs with others, in the OpenAPI document. */
export const ENQUIRY_PARAMETER_NAMES: readonly (readonly [TSchema, string])[] = [
  [ENQUIRY_FILTER.state, 'EnquiryState'],
  [ENQUIRY_FILTER.petId, 'EnquiryPetId'],
  [ENQUIRY_FILTER.text, 'EnquiryText'],
  [ENQUIRY_FILTER.email, 'EnquiryEmail'],
];
