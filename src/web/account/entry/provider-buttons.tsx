import { queryOptions, useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { AnchorButton } from '../../design/buttons.tsx';
import { plainClient } from '../../service/client.ts';
import styles from './account.module.css';

/** The OpenID Connect providers at which users can log in. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => plainClient.listProviders({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

interface ProviderButtonsProps {
  /** The path to open after the login. */
  to: string | undefined;
}

/** Links to the login pages of the providers; nothing without providers. */
export function ProviderButtons({ to }: ProviderButtonsProps) {
  const t = useTranslations('signIn.login');
  const { data: providers = [] } = useQuery(providersQuery);
  if (providers.length === 0) return null;
  return (
    <div className="stack">
      <p className={styles['or']}>{t('or')}</p>
      {providers.map(({ name, label, url }) => (
        <AnchorButton
          key={name}
          variant="default"
          href={to === undefined ? url : `${url}?${new URLSearchParams({ to }).toString()}`}
          leftSection={<LogIn size="1.1em" aria-hidden />}
        >
          {t('provider', { label })}
        </AnchorButton>
      ))}
    </div>
  );
}
