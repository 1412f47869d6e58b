import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { jsonText } from '../../../../api/records/record-text.ts';
import { readJson } from '../../../../client/int64-text.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import { lastSegment } from '../answers/visit.ts';
import { credentialsOf, hasAny, removeCredentials } from './credentials.ts';
import { isJson, MAX_REMEMBERED_LENGTH, Remembered, UNCHANGED, type Answer, type PlantedBug } from './planted-bug.ts';
import { CONDITIONAL } from './request-bugs.ts';

/* Bugs of logins and permissions. None reveals a secret: the session and the hash are made up. */

const HASH = '$argon2id$v=19$m=19456,t=2,p=1$bm8gc2FsdCBhdCBhbGw$bm8gaGFzaCBlaXRoZXIsIG1hZGUgdXA';

const SESSION_MS = 24 * 60 * 60_000;

export const SECURITY_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-06': withoutPermission,
  'bug-23': () => ({ operations: ['loginUser', 'loginUserWithBody'], after: (_visit, answer) => loggedIn(answer) }),
  'bug-28': () => ({
    operations: ['getUserByName'],
    after: (_visit, answer) =>
      isJson(answer) ? { body: jsonText({ ...(readJson(answer.body) as object), password: HASH }) } : undefined,
  }),
  'bug-29': endlessSession,
  'bug-30': leakedUser,
};

/** Deletes with the credentials of the last successful change of a pet if the client has none. */
function withoutPermission(): PlantedBug {
  let known: Readonly<Record<string, string>> = {};
  const admitted = new WeakSet<IncomingMessage>();
  return {
    operations: CONDITIONAL,
    isForSecured: true,
    before({ operation, request }) {
      if (operation !== 'deletePet' || hasAny(credentialsOf(request.headers))) return;
      Object.assign(request.headers, known);
      admitted.add(request);
    },
    after({ request }, { status }) {
      const used = credentialsOf(request.headers);
      if (status === 200 && hasAny(used)) known = used;
      return admitted.has(request) && status !== 401 ? UNCHANGED : undefined;
    },
  };
}

function loggedIn({ status, headers }: Answer): Partial<Answer> | undefined {
  if (status !== 400 || headers['content-type'] !== 'application/json') return undefined;
  const token = randomBytes(32).toString('base64url');
  const expires = new Date(Date.now() + SESSION_MS).toISOString();
  return { status: 200, body: jsonText(`logged in user session:${token}`), headers: { 'x-expires-after': expires } };
}

function keyOf({ headers }: IncomingMessage): string {
  return JSON.stringify(credentialsOf(headers));
}

/** Like a logout that only the client makes. */
function endlessSession(): PlantedBug {
  const ended = new Remembered<true>();
  return {
    operations: [...CONDITIONAL, 'getUserByName', 'updateUser', 'deleteUser', 'logoutUser'],
    isForSecured: true,
    before({ operation, request }) {
      if (operation !== 'logoutUser' || !hasAny(credentialsOf(request.headers))) return;
      ended.set(keyOf(request), true);
      removeCredentials(request.headers);
    },
    after({ operation, request }, { status }) {
      const isMet = operation !== 'logoutUser' && status !== 401 && ended.get(keyOf(request)) === true;
      return isMet ? UNCHANGED : undefined;
    },
  };
}

/** Like a cache that ignores who asks. */
function leakedUser(): PlantedBug {
  const known = new Remembered<string>();
  return {
    operations: ['getUserByName'],
    isForSecured: true,
    after(visit, answer) {
      const name = lastSegment(visit).toLowerCase();
      if (isJson(answer) && answer.body.length <= MAX_REMEMBERED_LENGTH) known.set(name, answer.body);
      const body = known.get(name);
      const isRefused = answer.status === 401 || answer.status === 403;
      if (!isRefused || body === undefined || visit.request.method === 'HEAD') return undefined;
      return { status: 200, body, headers: { 'www-authenticate': undefined, 'content-type': 'application/json' } };
    },
  };
}
