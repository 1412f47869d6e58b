import type { Client } from '../../client/client.ts';
import { MenagerieError } from '../../client/failures.ts';
import { ENDPOINTS, type OperationId } from '../../api/endpoints.ts';

/*
 * A session may end while its page is open. The user then logs in again in a dialog over the page, and the failed
 * request is retried, so that nothing on the page is lost. The same holds for a request that needs a recent proof that
 * the session is used by the owner of the account.
 */

/** What the dialog of the shell asks the current user for. */
interface LoginPrompt {
  /** The response of the service: without a session, without a recent proof, or without the second factor. */
  refusal: MenagerieError;
  onEnd: (isDone: boolean) => void;
}

const UNAUTHENTICATED = 401;

let prompt: LoginPrompt | undefined;
let answer: Promise<boolean> | undefined;
let logins = 0;
let isRefused = false;
const promptListeners = new Set<() => void>();
const listeners = new Set<() => void>();

export function shownPrompt(): LoginPrompt | undefined {
  return prompt;
}

export function subscribeToPrompt(listener: () => void): () => void {
  promptListeners.add(listener);
  return () => promptListeners.delete(listener);
}

function showPrompt(next: LoginPrompt | undefined): void {
  prompt = next;
  for (const listener of promptListeners) listener();
}

/**
 * Registers a callback for logins in the dialog.
 *
 * @returns unregisters it
 */
export function onReauthentication(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Wraps a client: a request that fails with 401 is retried after a login, and one that needs a proof after that.
 *
 * @param onChange called before each request that changes data
 */
export function withReauthentication(client: Client, onChange: () => void = () => {}): Client {
  const wrapped = (id: OperationId, call: object) => wrapCall(call, ENDPOINTS[id].changes, onChange);
  return Object.fromEntries(
    Object.entries(client).map(([id, call]) => [id, 'response' in call ? wrapped(id as OperationId, call) : call]),
  ) as unknown as Client;
}

type Call = (...given: readonly unknown[]) => Promise<unknown>;

function wrapCall(call: object, changes: boolean, onChange: () => void): unknown {
  const { response } = call as { response: Call };
  const again = (ask: Call) => {
    const asked = retryAfterLogin(ask, changes);
    if (!changes) return asked;
    return (...given: readonly unknown[]) => {
      onChange();
      return asked(...given);
    };
  };
  return Object.assign(again(call as Call), { ...call, response: again(response) });
}

/** A call that is retried after the user has logged in again, or has given the proof that it needs. */
export function retryAfterLogin<Given extends readonly unknown[], Result>(
  ask: (...given: Given) => Promise<Result>,
  changes: boolean,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    const loginsBefore = logins;
    try {
      return await ask(...given);
    } catch (error) {
      if (!(error instanceof MenagerieError) || !asksUser(error)) throw error;
      if (loginsBefore === logins && !(await promptForLogin(error, changes))) throw error;
      return ask(...given);
    }
  };
}

function asksUser({ status, proof, secondFactor }: MenagerieError): boolean {
  return status === UNAUTHENTICATED || (proof ?? secondFactor) !== undefined;
}

/** After the user has cancelled the dialog, only what the user asks for opens it again, not reads of the page. */
async function promptForLogin(refusal: MenagerieError, changes: boolean): Promise<boolean> {
  if (isRefused && !changes) return false;
  const loginsBefore = logins;
  // Several requests may fail at the same time; one dialog is enough.
  const isDone = await (answer ??= new Promise((resolve) => {
    const onEnd = (isDone: boolean) => {
      answer = undefined;
      showPrompt(undefined);
      resolve(isDone);
    };
    showPrompt({ refusal, onEnd });
  }));
  isRefused = !isDone;
  if (isDone && logins === loginsBefore) {
    logins += 1;
    for (const listener of listeners) listener();
  }
  return isDone;
}

const logoutHandlers: (() => void)[] = [];

/** Registers a function that deletes user data outside of the query cache. It is called on logout. */
export function onLogout(forget: () => void): void {
  logoutHandlers.push(forget);
}

export function forgetUser(): void {
  for (const forget of logoutHandlers) forget();
}
