import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import { askAtSessionEnd } from '../service/session-end.ts';
import { setCurrentUser, currentUserQuery } from '../service/current-user.ts';

const LoginAgainDialog = lazy(async () => ({
  default: (await import('../account/entry/login-form.tsx')).LoginAgainDialog,
}));

interface Asked {
  username: string;
  answer: (currentUser: CurrentUser | null) => void;
}

/** When the session turns out to be over while somebody works: over the page, one is asked to log in again. */
export function LoginAgain() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    let current: Promise<boolean> | undefined;
    return askAtSessionEnd(() => {
      const username = queries.getQueryData<CurrentUser | null>(currentUserQuery.queryKey)?.username;
      if (username === undefined) return Promise.resolve(false);
      // Many requests may find out at once; one question is enough.
      current ??= new Promise<boolean>((resolve) => {
        const answer = (currentUser: CurrentUser | null) => {
          current = undefined;
          setAsked(undefined);
          resolve(currentUser !== null);
          if (currentUser !== null) setCurrentUser(queries, currentUser);
        };
        setAsked({ username, answer });
      });
      return current;
    });
  }, [queries]);
  if (asked === undefined) return null;
  return (
    <Suspense>
      <LoginAgainDialog username={asked.username} onDone={asked.answer} onCancel={() => asked.answer(null)} />
    </Suspense>
  );
}
