import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import { setLoginPrompt } from '../service/reauthentication.ts';
import { setCurrentUser, currentUserQuery } from '../service/current-user.ts';

const LoginAgainDialog = lazy(async () => ({
  default: (await import('../account/entry/login-form.tsx')).LoginAgainDialog,
}));

interface LoginRequest {
  username: string;
  end: (currentUser: CurrentUser | null) => void;
}

/** A login dialog over the page, shown when the session has ended while the user works. */
export function LoginAgain() {
  const queries = useQueryClient();
  const [request, setRequest] = useState<LoginRequest>();
  useEffect(() => {
    let current: Promise<boolean> | undefined;
    return setLoginPrompt(() => {
      const username = queries.getQueryData<CurrentUser | null>(currentUserQuery.queryKey)?.username;
      if (username === undefined) return Promise.resolve(false);
      // Several requests may fail at the same time; one dialog is enough.
      current ??= new Promise<boolean>((resolve) => {
        const end = (currentUser: CurrentUser | null) => {
          current = undefined;
          setRequest(undefined);
          resolve(currentUser !== null);
          if (currentUser !== null) setCurrentUser(queries, currentUser);
        };
        setRequest({ username, end });
      });
      return current;
    });
  }, [queries]);
  if (request === undefined) return null;
  return (
    <Suspense>
      <LoginAgainDialog username={request.username} onDone={request.end} onCancel={() => request.end(null)} />
    </Suspense>
  );
}
