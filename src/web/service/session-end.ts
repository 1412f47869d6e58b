import type { Client } from '../../client/client.ts';
import { MenagerieError } from '../../client/failures.ts';
import { ENDPOINTS, type OperationId } from '../../api/endpoints.ts';

/*
 * A session ends while its page stays open: nothing of what is on the page may be lost by that. Who is asked to log in again does so over the page,
 * and then what was under way goes on.
 */

/** Asks the current user to log in again. @returns whether they did */
type AskToLogIn = () => Promise<boolean>;

const UNAUTHENTICATED = 401;

let askToLogIn: AskToLogIn | undefined;
let logins = 0;
let isRefused = false;
const followers = new Set<() => void>();

/** There is one place that asks, in the shell. @returns takes it away again */
export function askAtSessionEnd(ask: AskToLogIn): () => void {
  askToLogIn = ask;
  return () => {
    if (askToLogIn === ask) askToLogIn = undefined;
  };
}

/** Is told when somebody has logged in again over the page. @returns tells no more */
export function onLoginAgain(follower: () => void): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

/**
 * The same client, which waits for a new login where the session turns out to be over, and asks once more.
 *
 * @param onChange is called before anything is changed
 */
export function withLoginAgain(client: Client, onChange: () => void = () => {}): Client {
  const wrapped = (id: OperationId, call: object) => guarded(call, ENDPOINTS[id].changes, onChange);
  return Object.fromEntries(
    Object.entries(client).map(([id, call]) => [id, 'answer' in call ? wrapped(id as OperationId, call) : call]),
  ) as unknown as Client;
}

type Call = (...given: readonly unknown[]) => Promise<unknown>;

function guarded(call: object, changes: boolean, onChange: () => void): unknown {
  const { answer } = call as { answer: Call };
  const again = (ask: Call) => {
    const asked = againAfterLogin(ask, changes);
    if (!changes) return asked;
    return (...given: readonly unknown[]) => {
      onChange();
      return asked(...given);
    };
  };
  return Object.assign(again(call as Call), { ...call, answer: again(answer) });
}

function againAfterLogin(ask: Call, changes: boolean): Call {
  return async (...given) => {
    const loginsBefore = logins;
    try {
      return await ask(...given);
    } catch (error) {
      if (!(error instanceof MenagerieError) || error.status !== UNAUTHENTICATED) throw error;
      if (loginsBefore === logins && !(await haveLoggedIn(changes))) throw error;
      return ask(...given);
    }
  };
}

/** Who does not want to is asked again when they want to change something, not whenever the page reads. */
async function haveLoggedIn(changes: boolean): Promise<boolean> {
  if (askToLogIn === undefined || (isRefused && !changes)) return false;
  const loginsBefore = logins;
  const isDone = await askToLogIn();
  isRefused = !isDone;
  if (isDone && logins === loginsBefore) {
    logins += 1;
    for (const follower of followers) follower();
  }
  return isDone;
}

const logoutHandlers: (() => void)[] = [];

/** Registers a function that deletes user data outside of the query cache. It is called after a logout. */
export function onLogout(forget: () => void): void {
  logoutHandlers.push(forget);
}

export function forgetUser(): void {
  for (const forget of logoutHandlers) forget();
}
