import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { Button } from '../design/buttons.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { ACCOUNT_KEY, linkedProvidersQuery, type LinkedProviderView } from './account-queries.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { providersQuery } from './entry/provider-buttons.tsx';
import { LinkedLoginItem } from './linked-login-item.tsx';
import { Section } from './section.tsx';
import styles from './section.module.css';

/** The logins at OpenID Connect providers that are linked to the account; nothing without providers. */
export function ProvidersSection() {
  const t = useTranslations('signIn.providers');
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: linked = [], error } = useQuery(linkedProvidersQuery);
  if (providers.length + linked.length === 0) return null;
  const unlinked = providers.filter(({ name }) => !linked.some(({ provider }) => provider?.name === name));
  return (
    <Section title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      <ul className={styles['list']}>
        {linked.map((login) => (
          <OwnItem key={login.id} login={login} />
        ))}
        {unlinked.map(({ name, label }) => (
          <UnlinkedItem key={name} name={name} label={label} />
        ))}
      </ul>
    </Section>
  );
}

function OwnItem({ login }: { login: LinkedProviderView }) {
  return <LinkedLoginItem login={login} text="askText" unlink={useUnlink(login.id)} />;
}

function UnlinkedItem({ name, label }: { name: string; label: string }) {
  const t = useTranslations('signIn.providers');
  const onError = useShownFailure();
  const link = useAction({
    mutationFn: () => client.linkProvider({ body: { provider: name, returnTo: '/account' } }),
    onSuccess: ({ url }) => location.assign(url),
    onError,
  });
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>{label}</p>
        <p className={styles['itemText']}>{t('unlinked')}</p>
      </div>
      <Button
        variant="default"
        aria-label={t('linkOne', { label })}
        loading={link.isPending || link.isSuccess}
        onClick={() => link.mutate()}
      >
        {t('link')}
      </Button>
    </li>
  );
}

function useUnlink(loginId: string) {
  const t = useTranslations('signIn.providers');
  const queries = useQueryClient();
  const onError = useShownFailure();
  return useAction({
    mutationFn: () => client.unlinkProvider({ loginId }),
    onSuccess: () => showNotice({ text: t('done') }),
    onError,
    onSettled: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
}

function useShownFailure(): (error: Error) => void {
  const t = useTranslations('signIn.providers');
  const failureText = useFailureText();
  return (error) => {
    // Without a proof, the user has cancelled the change.
    if (error instanceof MenagerieError && error.proof !== undefined) return;
    showNotice({ text: isErrorAt(error, 'conflict') ? t('conflict') : failureText(error), isError: true });
  };
}
