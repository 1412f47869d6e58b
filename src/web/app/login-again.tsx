import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import type { MenagerieError } from '../../client/failures.ts';
import { setLoginPrompt } from '../service/reauthentication.ts';
import { currentUserQuery } from '../service/current-user.ts';

const LoginAgainDialog = lazy(async () => ({
  default: (await import('../account/entry/login-again-dialog.tsx')).LoginAgainDialog,
}));

interface LoginRequest {
  username: string;
  refusal: MenagerieError;
  onEnd: (isDone: boolean) => void;
}

/** A dialog over the page, shown when the session has ended while the user works, or needs a proof. */
export function LoginAgain() {
  const queries = useQueryClient();
  const [request, setRequest] = useState<LoginRequest>();
  useEffect(() => {
    let current: Promise<boolean> | undefined;
    return setLoginPrompt((refusal) => {
      const username = queries.getQueryData<CurrentUser | null>(currentUserQuery.queryKey)?.username;
      if (username === undefined) return Promise.resolve(false);
      // Several requests may fail at the same time; one dialog is enough.
      current ??= new Promise<boolean>((resolve) => {
        const onEnd = (isDone: boolean) => {
          current = undefined;
          setRequest(undefined);
          resolve(isDone);
        };
        setRequest({ username, refusal, onEnd });
      });
      return current;
    });
  }, [queries]);
  return (
    request && (
      <Suspense>
        <LoginAgainDialog {...request} />
      </Suspense>
    )
  );
}
