import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { Button, LinkButton } from '../../design/buttons.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { usePageTitle } from '../../design/page.tsx';
import { useAction } from '../../service/action.ts';
import { plainClient } from '../../service/client.ts';
import { EntryPage } from './entry-page.tsx';
import { FormError } from './form-error.tsx';
import { useTokenOfAddress } from './token-of-address.ts';

/**
 * The target of a link that confirms an address. Opening it does not use up the link, as programs that preview links
 * open it too.
 */
export function ConfirmEmailPage() {
  const token = useTokenOfAddress();
  // Another link opened in the same tab starts over.
  return <ConfirmEmail key={token} token={token} />;
}

function ConfirmEmail({ token }: { token: string }) {
  const t = useTranslations('account.confirmEmail');
  const confirm = useAction({ mutationFn: () => plainClient.confirmEmail({ body: { token } }) });
  const isInvalid = confirm.error instanceof MenagerieError && confirm.error.code === 'invalid-input';
  if (confirm.isSuccess) return <Outcome kind="done" />;
  if (token === '') return <Outcome kind="incomplete" />;
  if (isInvalid) return <Outcome kind="invalid" />;
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <FormError error={confirm.error} />
      <Button loading={confirm.isPending} onClick={() => confirm.mutate()} data-initial-focus>
        {t('submit')}
      </Button>
    </EntryPage>
  );
}

function Outcome({ kind }: { kind: 'done' | 'incomplete' | 'invalid' }) {
  const t = useTranslations('account.confirmEmail');
  usePageTitle(t(`${kind}.title`));
  return (
    <EmptyState
      level={1}
      title={t(`${kind}.title`)}
      actions={<LinkButton to="/account">{t('account')}</LinkButton>}
      isError={kind !== 'done'}
    >
      {t(`${kind}.text`)}
    </EmptyState>
  );
}
