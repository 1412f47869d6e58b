import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Reads a token from the fragment, which servers and logs never see, and deletes it from the address and the history.
 *
 * @param key of the storage of the tab that keeps it after a reload; undefined if the link can be opened again
 */
export function useTokenOfAddress(key?: string): string {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const [token, setToken] = useState(() => (hash === '' && key !== undefined ? findToken(key) : hash));
  if (hash !== '' && hash !== token) setToken(hash);
  useEffect(() => {
    if (hash === '') return;
    if (key !== undefined) keepToken(key, hash);
    history.replaceState(history.state, '', location.pathname + location.search);
  }, [key, hash]);
  return token;
}

/** Called when the token is used. */
export function forgetToken(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // The storage is disabled.
  }
}

function keepToken(key: string, token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // The storage is disabled: a reload loses the token.
  }
}

function findToken(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
