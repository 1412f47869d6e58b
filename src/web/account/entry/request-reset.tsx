import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button, LinkButton } from '../../design/buttons.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { usePageTitle } from '../../design/page.tsx';
import { useAction } from '../../service/action.ts';
import { plainClient } from '../../service/client.ts';
import { EntryPage } from './entry-page.tsx';
import { FormError, isErrorAt } from './form-error.tsx';

/** Requests a link for a new password. It says the same whether an account has the address. */
export function RequestReset() {
  const t = useTranslations('account.forgot');
  const [email, setEmail] = useState('');
  const request = useAction({ mutationFn: () => plainClient.requestPasswordReset({ body: { email: email.trim() } }) });
  const isMalformed = isErrorAt(request.error, '/email');
  if (request.isSuccess) return <Requested email={email.trim()} />;
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        <TextField
          label={t('email')}
          name="email"
          type="email"
          autoComplete="email"
          data-initial-focus
          value={email}
          error={isMalformed ? t('malformed') : undefined}
          onChange={({ currentTarget }) => {
            request.reset();
            setEmail(currentTarget.value);
          }}
        />
        <FormError error={isMalformed ? null : request.error} />
        <Button type="submit" loading={request.isPending}>
          {t('submit')}
        </Button>
      </form>
    </EntryPage>
  );
}

function Requested({ email }: { email: string }) {
  const t = useTranslations('account.forgot.done');
  usePageTitle(t('title'));
  return (
    <EmptyState level={1} title={t('title')} actions={<LinkButton to="/login">{t('action')}</LinkButton>}>
      {t('text', { email })}
    </EmptyState>
  );
}
