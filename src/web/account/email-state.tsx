import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import type { AccountView } from './account-queries.ts';
import { FormError } from './entry/form-error.tsx';

/** Whether the e-mail address of the account is confirmed, and a button that sends the link again. */
export function EmailState({ account: { email, confirmedEmail } }: { account: AccountView }) {
  const t = useTranslations('account.emailState');
  const send = useAction({ mutationFn: () => client.requestEmailConfirmation() });
  if (email === undefined) return <p className="soft">{t('none')}</p>;
  if (confirmedEmail?.toLowerCase() === email.toLowerCase()) return <p className="soft">{t('confirmed', { email })}</p>;
  return (
    <div className="stack">
      <p className="note" role="status">
        {send.isSuccess ? t('sent', { email }) : t('unconfirmed', { email })}{' '}
        {confirmedEmail !== undefined && t('former', { email: confirmedEmail })}
      </p>
      <FormError error={send.error} />
      <div>
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {t('send')}
        </Button>
      </div>
    </div>
  );
}
