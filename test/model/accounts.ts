import type { Role } from '../../src/domain/access.ts';
import type { ReceivedMail } from '../support/smtp-receiver.ts';
import { STAFF } from '../support/secured.ts';
import type { Answer } from './model.ts';
import { NAMES, WORDS, type AccountCall, type SentAccountCall, type SetRole, type Who } from './steps.ts';
import { differs } from './way.ts';

/* Users that a run creates, renames, closes and deletes, and the sessions and keys that they have. */

export const PASSWORDS = ['seven quiet rivers beneath the moon', 'eleven brave turtles paint at dawn'];

const CLOSED = 3;

interface User {
  /** Of the account: no other one gets it. */
  id: string;
  name: string;
  role: Role;
  isClosed: boolean;
  password: number;
  /** In each field of the profile. */
  word: string;
}

interface Credential {
  owner: string;
  kind: 'session' | 'key';
  mayWrite: boolean;
  /** Those with which all runs begin are known to the place. */
  secret?: string;
  id?: string;
}

/** In the profile of the user with which all runs begin. */
const FIRST_WORD = 'zqzqfirstperson';

/** Those of all runs, in the order of their creation. */
const FIRST = Object.entries({ ...STAFF, [NAMES[0]]: 'editor' as const }).map(([name, role], index): User => {
  return {
    id: String(index + 1),
    name,
    role,
    isClosed: false,
    password: index < 4 ? -1 : 0,
    word: index < 4 ? '' : FIRST_WORD,
  };
});

const KNOWN = new Map<Who, Credential>([
  ['root', { owner: '1', kind: 'session', mayWrite: true }],
  ['edna', { owner: '2', kind: 'session', mayWrite: true }],
  ["edna's key", { owner: '2', kind: 'key', mayWrite: true }],
  ['vera', { owner: '3', kind: 'session', mayWrite: true }],
  ["vera's key", { owner: '3', kind: 'key', mayWrite: false }],
  ['a session', { owner: '5', kind: 'session', mayWrite: true }],
  ['another session', { owner: '5', kind: 'session', mayWrite: true }],
  ['a key', { owner: '5', kind: 'key', mayWrite: true }],
]);

const OF_ADMINISTRATORS: readonly string[] = [
  'setUserRole',
  'closeUser',
  'reopenUser',
  'endUserSessions',
  'searchUsers',
  'listAuditEntries',
];
const OF_ONE_USER: readonly string[] = ['updateUser', 'deleteUser', 'getUserByName'];

export class Accounts {
  #users: readonly User[] = FIRST;
  /** Also those that have ended: a client still sends them. */
  #sent: ReadonlyMap<Who, Credential> = KNOWN;
  #ended: readonly Credential[] = [];

  clone(): Accounts {
    const copy = new Accounts();
    [copy.#users, copy.#sent, copy.#ended] = [this.#users, this.#sent, this.#ended];
    return copy;
  }

  text(): readonly unknown[] {
    return [this.#users, [...this.#sent], this.#ended];
  }

  get names(): readonly string[] {
    return this.#users.map(({ name }) => name);
  }

  /** As a pet's history has the name of its author. */
  nameOf(id: string): string | undefined {
    return this.#users.find((user) => user.id === id)?.name;
  }

  sentBy(who: Who): Credential | undefined {
    return this.#sent.get(who);
  }

  /** The credential and its owner, if both are active. */
  activeOf(who: Who): (Credential & { user: User }) | undefined {
    const credential = this.#sent.get(who);
    const user = this.#users.find(({ id }) => id === credential?.owner);
    if (credential === undefined || user === undefined || user.isClosed) return undefined;
    return this.#ended.includes(credential) ? undefined : { ...credential, user };
  }

  take(call: SentAccountCall | SetRole, answer: Answer): string | undefined {
    if (call.kind === 'setUserRole') {
      const refused = this.#refusalOf(call.kind, call.by, call.username);
      if (refused === undefined) this.#change(call.username, { role: call.role });
      return expect(answer, refused ?? 200);
    }
    const refused = this.#refusalOf(call.kind, call.by, call.name) ?? this.#conflictOf(call);
    // Passwords have limits of their own.
    if (answer.status === 429 && (call.kind === 'loginUserWithBody' || call.kind === 'changePassword'))
      return undefined;
    if (refused !== undefined) return expect(answer, refused) ?? secretIn(answer, call);
    this.#apply(call, answer);
    return expect(answer, 200) ?? this.#complaintOf(call, answer);
  }

  #refusalOf(kind: string, by: Who, name: string): number | undefined {
    if (kind === 'createUser' || kind === 'loginUserWithBody' || kind === 'logoutUser') return undefined;
    const active = this.activeOf(by);
    if (active?.kind !== 'session') return 401;
    const { role, name: own } = active.user;
    if (OF_ADMINISTRATORS.includes(kind) && role !== 'admin') return 403;
    if (OF_ONE_USER.includes(kind) && role !== 'admin' && own !== name) return 403;
    const isAboutOne = kind !== 'searchUsers' && kind !== 'listAuditEntries';
    const isOfOther = (OF_ADMINISTRATORS.includes(kind) && isAboutOne) || OF_ONE_USER.includes(kind);
    return isOfOther && !this.names.includes(name) ? 404 : undefined;
  }

  #conflictOf(call: SentAccountCall): number | undefined {
    const { kind, name, newName, password } = call;
    const owner = this.activeOf(call.by)?.user;
    if (kind === 'createUser') return this.names.includes(name) ? 409 : undefined;
    if (kind === 'updateUser') return newName !== name && this.names.includes(newName) ? 409 : undefined;
    if (kind === 'changePassword') return owner?.password === password ? undefined : 400;
    if (kind === 'revokeKey') {
      const key = this.#sent.get('a key');
      const isOwn = key !== undefined && key.owner === owner?.id && (key.id ?? call.keyId) === call.keyId;
      return isOwn && !this.#ended.includes(key) ? undefined : 404;
    }
    if (kind !== 'loginUserWithBody') return undefined;
    const user = this.#users.find((one) => one.name === name);
    return user !== undefined && !user.isClosed && user.password === password ? undefined : 400;
  }

  #apply(call: SentAccountCall, { text = '' }: Answer): void {
    const { kind, by, name, newName, password, newPassword, keepsKeys, word, as } = call;
    const own = this.#sent.get(by);
    const owner = this.activeOf(by)?.user;
    const isOfOwner = ({ owner: id }: Credential) => id === owner?.id;
    const isOfUser = ({ owner: id }: Credential) => this.nameOf(id) === name;
    if (kind === 'createUser') {
      const id = /"message":"(\d+)"/.exec(text)?.[1] ?? '';
      this.#users = [...this.#users, { id, name, role: 'viewer', isClosed: false, password, word }];
    } else if (kind === 'updateUser') {
      const isPassword = newPassword !== undefined;
      if (isPassword) this.#end((one) => isOfUser(one) && !(one === own && isOfOwner(one)));
      if (call.status === CLOSED) this.#end((one) => isOfUser(one) && isSession(one));
      const status = call.status === undefined ? {} : { isClosed: call.status === CLOSED };
      this.#change(name, { name: newName, word, ...status, ...(isPassword && { password: newPassword }) });
    } else if (kind === 'deleteUser') {
      this.#end(isOfUser);
      this.#users = this.#users.filter((user) => user.name !== name);
    } else if (kind === 'closeUser' || kind === 'reopenUser') {
      if (kind === 'closeUser') this.#end((one) => isOfUser(one) && isSession(one));
      this.#change(name, { isClosed: kind === 'closeUser' });
    } else if (kind === 'changePassword') {
      this.#end((one) => isOfOwner(one) && one !== own && (isSession(one) || !keepsKeys));
      this.#change(owner?.name ?? '', { password: newPassword ?? 0 });
    } else if (kind === 'endOtherSessions') this.#end((one) => isOfOwner(one) && isSession(one) && one !== own);
    else if (kind === 'endUserSessions') this.#end((one) => isOfUser(one) && isSession(one));
    else if (kind === 'logoutUser') this.#end((one) => one === own && isSession(one));
    else if (kind === 'revokeKey') this.#end((one) => one === this.#sent.get('a key'));
    else if (kind === 'loginUserWithBody') {
      const id = this.#users.find((user) => user.name === name)?.id ?? '';
      this.#add(as, {
        owner: id,
        kind: 'session',
        mayWrite: true,
        secret: /session:([\w-]{43})/.exec(text)?.[1] ?? '',
      });
    } else if (kind === 'createKey' && owner !== undefined) {
      const [, id = '', secret = ''] = /"id":"([^"]+)".*"key":"([^"]+)"/.exec(text) ?? [];
      this.#add('a key', { owner: owner.id, kind: 'key', mayWrite: keepsKeys, secret, id });
    }
  }

  /** Without a response, the secret is unknown. */
  #add(who: Who, credential: Credential): void {
    if (credential.secret !== '') this.#sent = new Map([...this.#sent, [who, credential]]);
  }

  #end(isEnded: (credential: Credential) => boolean): void {
    this.#ended = [...new Set([...this.#ended, ...[...this.#sent.values()].filter(isEnded)])];
  }

  #change(name: string, change: Partial<User>): void {
    this.#users = this.#users.map((user) => (user.name === name ? { ...user, ...change } : user));
  }

  /** After the call. */
  #complaintOf({ kind, by, name }: AccountCall, { text = '' }: Answer): string | undefined {
    const owner = this.activeOf(by)?.user;
    if (kind === 'searchUsers') {
      const found = [...text.matchAll(/"username":"(\w+)"/g)].map(([, each = '']) => each);
      return differs('the users', found, this.names);
    }
    const user = kind === 'getAccount' ? owner : this.#users.find((one) => one.name === name);
    if (kind !== 'getAccount' && kind !== 'getUserByName') return undefined;
    const has = new Set(text.match(WORDS));
    const must = new Set([user?.name, user?.word].filter((one) => one?.startsWith('zqzq')));
    return differs('the words of the user', [...has], [...must]);
  }

  /** @param text the account as administrators read it, or that there is none */
  complaintAbout(name: string, { status, text = '' }: Answer): string | undefined {
    const user = this.#users.find((one) => one.name === name);
    if (user === undefined) return status === 404 ? undefined : `expected no user ${name}`;
    const isRight = text.includes(`"role":"${user.role}"`) && text.includes(`"userStatus":${CLOSED}`) === user.isClosed;
    return isRight && text.includes(user.word) ? undefined : `expected ${JSON.stringify(user)}`;
  }
}

function isSession({ kind }: Credential): boolean {
  return kind === 'session';
}

function expect({ status }: Answer, expected: number): string | undefined {
  return status === expected ? undefined : `expected ${expected}`;
}

/** A refusal has no word but those of its request. */
function secretIn({ text = '' }: Answer, call: AccountCall): string | undefined {
  const secret = text.match(WORDS)?.find((word) => !JSON.stringify(call).includes(word));
  return secret && `a refusal has ${secret}`;
}

/** Creates the user with which all runs begin. */
export const FIRST_USER = {
  kind: 'createUser',
  by: 'root',
  name: NAMES[0],
  newName: NAMES[0],
  password: 0,
  keepsKeys: true,
  word: FIRST_WORD,
  as: 'a session',
} as const satisfies AccountCall;

/** The body of a request. */
export function accountBody(call: AccountCall): object | undefined {
  const { kind, name, newName, password, newPassword, keepsKeys, word, status } = call;
  const profile = { firstName: word, lastName: word, email: `${word}@bücher.example`, phone: word };
  if (kind === 'createUser') return { username: name, password: PASSWORDS[password], ...profile };
  if (kind === 'updateUser')
    return { username: newName, password: PASSWORDS[newPassword ?? -1], userStatus: status, ...profile };
  if (kind === 'changePassword')
    return { oldPassword: PASSWORDS[password], newPassword: PASSWORDS[newPassword ?? 0], revokeKeys: !keepsKeys };
  if (kind === 'loginUserWithBody') return { username: name, password: PASSWORDS[password] };
  if (kind === 'createKey') return { name: 'test', scopes: keepsKeys ? ['read:pets', 'write:pets'] : ['read:pets'] };
  return undefined;
}

const OF_USER = /zqzq[a-z]*person/gi;

export function isToUser({ recipients: [to = ''] }: ReceivedMail): boolean {
  return to.search(OF_USER) >= 0;
}

/** A message to a user has no word of another one. */
export function checkUserMail(all: readonly ReceivedMail[]): string | undefined {
  const wrong = all.filter(isToUser).find(({ recipients: [to = ''], text = '' }) => {
    return text.match(OF_USER)?.some((word) => !to.includes(word));
  });
  return wrong && `a message to ${wrong.recipients.join()} has words of another user`;
}

/** Only what others did to a deleted user stays: the name, in the audit log and the events of accounts. */
export function leftOfUsers(table: string, rows: string): boolean {
  const keepsNames = table === 'audit' || table === 'account_change';
  return rows.search(OF_USER) >= 0 || (!keepsNames && /zqzq(?:anna|olga)/i.test(rows));
}
