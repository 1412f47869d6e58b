import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { AUTHORIZATION_PARAMETERS, redirectTargetOf } from '../../api/web/oauth-parameters.ts';
import { Button } from '../design/buttons.tsx';
import { NoAccess } from '../routing/access.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useCurrentUser } from '../service/current-user.ts';
import { EntryPage } from './entry/entry-page.tsx';
import { FormError } from './entry/form-error.tsx';

type Parameters = Readonly<Record<string, string>>;
type Question = NonNullable<ResultOf<'getConsent'>['question']>;

/** The authorization endpoint of OAuth 2.0: a program has sent the user here to get access to the account. */
export function AuthorizePage() {
  const t = useTranslations('account.authorize');
  const currentUser = useCurrentUser();
  if (currentUser === null)
    return (
      <NoAccess title={t('login')} loginLabel={t('loginAction')}>
        {t('loginText')}
      </NoAccess>
    );
  return <Consent username={currentUser.username} parameters={parametersIn(location.search)} />;
}

/** The service ignores other parameters, as RFC 6749 requires (section 3.1). */
function parametersIn(search: string): Parameters {
  const query = new URLSearchParams(search);
  const found = AUTHORIZATION_PARAMETERS.map((name) => [name, query.get(name) ?? ''] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

/** Leaves this page for the program. Going back does not return to the question. */
function leave({ redirectTo }: ResultOf<'getConsent'>): void {
  if (redirectTo !== undefined) location.replace(redirectTo);
}

/** The URI, if it opens an application beside this page. */
function applicationUriIn(data: ResultOf<'getConsent'> | undefined): string | undefined {
  const redirectTo = data?.redirectTo;
  return redirectTo !== undefined && redirectTargetOf(redirectTo).kind === 'application' ? redirectTo : undefined;
}

function Consent({ username, parameters }: { username: string; parameters: Parameters }) {
  const t = useTranslations('account.authorize');
  const { data, error } = useQuery({
    queryKey: ['consent', username, parameters],
    queryFn: ({ signal }) => client.getConsent(parameters, { signal }),
    gcTime: 0,
    retry: false,
  });
  const applicationUri = applicationUriIn(data);
  useEffect(() => {
    // No page opens an application before the user has clicked.
    if (data !== undefined && applicationUri === undefined) leave(data);
  }, [data, applicationUri]);
  if (applicationUri !== undefined) return <InApplication uri={applicationUri} />;
  if (error !== null)
    return (
      <EntryPage title={t('invalid')} lead={t('invalidText')}>
        <FormError error={error} />
      </EntryPage>
    );
  if (data?.question === undefined) return <EntryPage title={t('checking')}>{null}</EntryPage>;
  return <Decision question={data.question} parameters={parameters} username={username} />;
}

interface DecisionProps {
  question: Question;
  parameters: Parameters;
  username: string;
}

function Decision({ question, parameters, username }: DecisionProps) {
  const t = useTranslations('account.authorize');
  const scopeName = useTranslations('account.keys.scope');
  const decide = useAction({
    mutationFn: (isAllowed: boolean) => client.giveConsent({ body: { isAllowed, parameters } }),
    onSuccess: leave,
  });
  const applicationUri = applicationUriIn(decide.data);
  if (applicationUri !== undefined) return <InApplication uri={applicationUri} />;
  const { name, owner } = question.client;
  const { kind, place } = redirectTargetOf(question.redirectUri);
  // Until the browser has left the page, so that it is not answered twice.
  const isBusy = decide.isPending || decide.isSuccess;
  return (
    <EntryPage title={t('title', { name })} lead={t('lead', { username })}>
      <ul>
        {question.scopes.map((scope) => (
          <li key={scope}>{scopeName(scope)}</li>
        ))}
      </ul>
      <p className="soft small">
        {t(`where.${kind}`, { place })} {owner === undefined ? t('ofService') : t('by', { owner })}
      </p>
      <FormError error={decide.error} />
      <div className="row">
        <Button loading={isBusy} onClick={() => decide.mutate(true)}>
          {t('allow')}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => decide.mutate(false)}>
          {t('deny')}
        </Button>
      </div>
    </EntryPage>
  );
}

/** The browser may ask before it opens an application, or find none. The page stays. */
function InApplication({ uri }: { uri: string }) {
  const t = useTranslations('account.authorize');
  return (
    <EntryPage title={t('inApplication')} lead={t('inApplicationText', { place: redirectTargetOf(uri).place })}>
      <p>
        <a href={uri}>{t('openApplication')}</a>
      </p>
    </EntryPage>
  );
}
