import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Reads a token from the fragment, which servers and logs never see, and deletes it from the address and the history.
 */
export function useTokenOfAddress(): string {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const [token, setToken] = useState(hash);
  if (hash !== '' && hash !== token) setToken(hash);
  useEffect(() => {
    if (hash !== '') history.replaceState(history.state, '', location.pathname);
  }, [hash]);
  return token;
}
