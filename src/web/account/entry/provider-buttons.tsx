import { queryOptions, useQuery } from '@tanstack/react-query';
import { ExternalLink, LogIn } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import { AnchorButton } from '../../design/buttons.tsx';
import { plainClient } from '../../service/client.ts';
import { ONLY_LOGIN_FRAGMENT } from '../../service/logins-elsewhere.ts';
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
  return <ProviderLinks to={to} text={(label) => t('provider', { label })} />;
}

/**
 * Links that open a tab for the login, and so lose nothing on this page. The provider does not get access to the page:
 * the new tab has no opener.
 */
export function ProviderTabs({ isOnly = false }: { isOnly?: boolean }) {
  const t = useTranslations('signIn.login');
  const icon = <ExternalLink size="1.1em" aria-hidden />;
  const tab = { target: '_blank', rel: 'noopener', rightSection: icon } as const;
  const to = `/login#${ONLY_LOGIN_FRAGMENT}`;
  return <ProviderLinks to={to} text={(label) => t('providerTab', { label })} isOnly={isOnly} look={tab} />;
}

interface ProviderLinksProps extends ProviderButtonsProps {
  text: (label: string) => string;
  /** Whether there is no other way to log in. */
  isOnly?: boolean;
  look?: ComponentProps<typeof AnchorButton>;
}

function ProviderLinks({ to, text, isOnly = false, look }: ProviderLinksProps) {
  const t = useTranslations('signIn.login');
  const { data: providers = [] } = useQuery(providersQuery);
  if (providers.length === 0) return null;
  return (
    <div className="stack">
      {!isOnly && <p className={styles['or']}>{t('or')}</p>}
      {providers.map(({ name, label, url }) => (
        <AnchorButton
          key={name}
          variant="default"
          href={to === undefined ? url : `${url}?${new URLSearchParams({ to }).toString()}`}
          leftSection={<LogIn size="1.1em" aria-hidden />}
          {...look}
        >
          {text(label)}
        </AnchorButton>
      ))}
    </div>
  );
}
