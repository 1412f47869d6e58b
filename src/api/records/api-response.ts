import * as Type from './type.ts';
import { exactly, int32 } from './fields.ts';

/*
 * Responses without a record, and failures. Their texts are written in `response-texts.ts`, which the client imports
 * without this library.
 */

/** A success without a record. */
export const ApiResponse = Type.Object(
  { code: int32('200'), type: Type.String(), message: Type.String() },
  { ...exactly('ApiResponse'), xml: { name: 'ApiResponse' } },
);
export type ApiResponse = Type.Static<typeof ApiResponse>;

const FieldProblem = Type.Object(
  {
    path: Type.String({ description: 'The field, as a JSON Pointer (RFC 6901).', examples: ['/tags/0/name'] }),
    message: Type.String({ description: 'The problem.' }),
  },
  { ...exactly('FieldProblem'), xml: { name: 'error' } },
);

export const errors = Type.Optional(
  Type.Array(FieldProblem, {
    description: 'The invalid fields, if any.',
    xml: { wrapped: true },
  }),
);

/** An error, in the shape of an ApiResponse. */
export const ErrorResponse = Type.Object(
  {
    code: int32('1'),
    type: Type.Literal('error'),
    message: Type.String({ description: 'One clear sentence.' }),
    errors,
    error: Type.Optional(Type.String({ description: 'Of the token endpoint: the code of RFC 6749, section 5.2.' })),
    error_description: Type.Optional(Type.String()),
  },
  { ...exactly('ErrorResponse'), xml: { name: 'ApiResponse' } },
);
export type ErrorResponse = Type.Static<typeof ErrorResponse>;

/** A problem document (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.Literal('about:blank'),
    title: Type.String(),
    status: int32('The status of the response.'),
    detail: Type.String({ description: 'One clear sentence.' }),
    errors,
  },
  { ...exactly('Problem'), description: 'A problem document (RFC 9457).' },
);
export type Problem = Type.Static<typeof Problem>;
