import { bootstrap } from './bootstrap.ts';

/*
 * The tabs of a browser share the session: a login in one of them continues what waits for a login in another one. A
 * login at a provider leaves the page, and happens in a new tab where the page has something to lose.
 */

/** A channel for one service: a host may have several, each with its path. */
const CHANNEL = `menagerie-login:${bootstrap.basePath}`;

/** The fragment of the login page in a tab that was opened for a login only. */
export const ONLY_LOGIN_FRAGMENT = 'only-login';

export function announceLogin(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/**
 * Registers a callback for logins in other tabs.
 *
 * @returns unregisters it
 */
export function onLoginElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
