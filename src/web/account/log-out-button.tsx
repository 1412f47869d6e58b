import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { showNotice } from '../design/notices.ts';
import { deleteDraftsOf } from '../editing/form-state/draft-storage.ts';
import { deleteUploadsOf } from '../photos/missing-uploads.ts';
import { useAction } from '../service/action.ts';
import { plainClient } from '../service/client.ts';
import { setCurrentUser, storageOwnerOf, useCurrentUser } from '../service/current-user.ts';
import { useFailureText } from '../service/failure-text.ts';
import { forgetUser } from '../service/reauthentication.ts';

function forgetOf(owner: string): void {
  deleteDraftsOf(owner);
  deleteUploadsOf(owner);
}

/** Forgets the user in this browser, and opens the front page. */
export function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const currentUser = useCurrentUser();
  return async () => {
    if (currentUser !== null) forgetOf(storageOwnerOf(currentUser.username));
    forgetUser();
    // Navigate first: the account page has nothing to show to an anonymous user.
    await navigate({ to: '/' });
    setCurrentUser(queries, null);
  };
}

export function LogOutButton() {
  const t = useTranslations('account');
  const leave = useLeave();
  const failureText = useFailureText();
  const logOut = useAction({
    mutationFn: () => plainClient.logoutUser(),
    onSuccess: async () => {
      await leave();
      showNotice({ text: t('loggedOut') });
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  return (
    <Button
      variant="default"
      leftSection={<LogOut size="1.1em" aria-hidden />}
      loading={logOut.isPending}
      onClick={() => logOut.mutate()}
    >
      {t('logout')}
    </Button>
  );
}
