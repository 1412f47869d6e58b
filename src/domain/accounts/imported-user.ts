import type { Role } from '../access.ts';
import { Failure } from '../failure.ts';
import type { NewUser, User, UserProfile } from './user.ts';

export interface ImportedUser {
  user: NewUser;
  /** By default, the role of new accounts. */
  role: Role | undefined;
  /** The fields that the file has. Other fields of an existing account stay unchanged. */
  fields: ReadonlySet<string>;
}

export function profileIn({ username, firstName, lastName, email, phone, userStatus }: User): UserProfile {
  return { username, firstName, lastName, email, phone, userStatus };
}

/** The user with the fields of the file, under the current spelling of the name. */
export function withImport(user: User, { user: imported, fields }: ImportedUser): User {
  const of = <Field extends 'firstName' | 'lastName' | 'email' | 'phone' | 'userStatus'>(field: Field) =>
    fields.has(field) ? imported[field] : user[field];
  return {
    id: imported.id ?? user.id,
    username: user.username,
    firstName: of('firstName'),
    lastName: of('lastName'),
    email: of('email'),
    phone: of('phone'),
    userStatus: of('userStatus'),
  };
}

export function otherRole(role: Role): Failure {
  return new Failure('conflict', `The account exists with the role ${role}. An import does not change roles.`);
}
