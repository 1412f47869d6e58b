import { Type } from 'typebox';
import { int64 } from './int64.ts';

/*
 * How an account is answered by the operations of Petstore. There is no password in it.
 */

export const PROFILE_FIELDS = {
  id: int64('Chosen by the client, or assigned. Several users may have the same id, and it can be changed.'),
  username: Type.String({ minLength: 1 }),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  userStatus: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', format: 'int32', description: '1 registered, 2 active, 3 closed.' }),
  ),
};

export const User = Type.Object(PROFILE_FIELDS, {
  title: 'User',
  additionalProperties: false,
  xml: { name: 'User' },
});
export type User = Type.Static<typeof User>;
