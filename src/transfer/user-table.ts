import type { Account } from '../api/records/account.ts';
import type { Table } from './columns.ts';

/* Users as rows. Passwords are never exported; a file may have them for new users. */

/** `accountId` is assigned, and ignored by imports. */
export const USER_COLUMNS = [
  'username',
  'id',
  'firstName',
  'lastName',
  'email',
  'phone',
  'userStatus',
  'role',
  'accountId',
] as const;

export const USER_TABLE: Table = {
  columns: [...USER_COLUMNS, 'password'],
  aliases: {
    username: ['anmeldename', 'benutzer', 'benutzername', 'login', 'loginname', 'user'],
    firstName: ['givenname', 'vorname'],
    lastName: ['familienname', 'familyname', 'nachname', 'surname'],
    email: ['emailaddress', 'emailadresse', 'mail', 'mailadresse'],
    phone: ['phonenumber', 'telefon', 'telefonnummer', 'telephone'],
    userStatus: ['status'],
    role: ['rolle'],
    password: ['kennwort', 'passwort'],
  },
  fieldOf: (column) => column,
  isList: () => false,
  programs: [],
  typeOf: () => 'text',
  readCells: (cells) => ({ value: Object.fromEntries([...cells].filter(([, cell]) => cell !== '')), problems: [] }),
  readObject: (value) => ({ value, problems: [] }),
};

/** The cells of a user, in the order of `USER_COLUMNS`. */
export function userCells(user: Account): readonly string[] {
  return USER_COLUMNS.map((column) => (user[column] === undefined ? '' : String(user[column])));
}
