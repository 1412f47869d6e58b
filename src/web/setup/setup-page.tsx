import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { EntryPage } from '../account/entry/entry-page.tsx';
import { hasPasskeys } from '../account/entry/passkeys.ts';
import { type Credentials, logIn } from '../account/entry/sign-in.ts';
import { forgetToken, useTokenOfAddress } from '../account/entry/token-of-address.ts';
import { PasskeySetup } from '../account/factors/passkey-setup.tsx';
import { RecoveryCodes } from '../account/factors/recovery-codes.tsx';
import { Button, LinkButton } from '../design/buttons.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { usePageTitle } from '../design/page.tsx';
import { useAction } from '../service/action.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { SetupFields } from './setup-fields.tsx';
import { sendSetup, type SetupDone, waitUntilReady } from './setup-request.ts';
import styles from './setup.module.css';

const TOKEN_KEY = 'menagerie-setup-token';

/** The first page of a service in secured access: creates the administrator. */
export function SetupPage() {
  const { setup } = bootstrap;
  return setup === undefined ? <Complete /> : <FirstSetup choices={setup} />;
}

function FirstSetup({ choices }: { choices: NonNullable<typeof bootstrap.setup> }) {
  const t = useTranslations('setup');
  const token = useTokenOfAddress(TOKEN_KEY);
  const setup = useAction({ mutationFn: sendSetup, onSuccess: () => forgetToken(TOKEN_KEY) });
  if (setup.data !== undefined && setup.variables !== undefined)
    return <Done done={setup.data} credentials={setup.variables} />;
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      {/* A token that arrives after the first render starts over. */}
      <SetupFields
        key={token}
        token={token}
        choices={choices}
        isBusy={setup.isPending}
        error={setup.error}
        onSubmit={(form) => setup.mutate(form)}
      />
    </EntryPage>
  );
}

interface DoneProps {
  done: SetupDone;
  credentials: Credentials;
}

function Done({ done: { url, unsaved }, credentials }: DoneProps) {
  const t = useTranslations('setup.done');
  const settings = Object.entries(unsaved);
  const isHere = url === '' || URL.parse(url)?.href === `${location.origin}/`;
  const continues = isHere && settings.length === 0;
  const [isLoggedIn, setLoggedIn] = useState(false);
  const go = useEffectEvent(async () => {
    // A passkey belongs to a session. Without it, or where browsers have none, the user logs in as usual.
    const { username, password } = credentials;
    const isPossible = hasPasskeys() && (await logIn({ username, password }).catch(() => undefined)) !== undefined;
    if (isPossible) setLoggedIn(true);
    else location.assign('/login');
  });
  useEffect(() => (continues ? waitUntilReady(() => void go()) : undefined), [continues]);
  if (isLoggedIn) return <PasskeyOffer />;
  return (
    <EntryPage title={t('title')} lead={continues ? t('starting') : undefined}>
      {settings.length > 0 && (
        <>
          <p className="soft">{t('unsaved')}</p>
          <pre className={styles['settings']}>{settings.map(([name, value]) => `${name} = ${value}`).join('\n')}</pre>
        </>
      )}
      {!continues && <a href={isHere ? '/login' : `${url}/login`}>{isHere ? t('login') : `${url}/login`}</a>}
    </EntryPage>
  );
}

function Complete() {
  const t = useTranslations('setup.complete');
  usePageTitle(t('title'));
  return (
    <EmptyState level={1} title={t('title')} actions={<LinkButton to="/login">{t('login')}</LinkButton>}>
      {t('text')}
    </EmptyState>
  );
}

/** The end of the setup, where browsers have passkeys: the first administrator may add one. */
function PasskeyOffer() {
  const t = useTranslations('setup.passkey');
  const codesTitle = useTranslations('signIn.codes')('title');
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined)
    return (
      <EntryPage title={codesTitle}>
        <RecoveryCodes codes={codes} onDone={leave} />
      </EntryPage>
    );
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <PasskeySetup onDone={(created) => (created === undefined ? leave() : setCodes(created))} />
      <Button variant="subtle" onClick={leave}>
        {t('later')}
      </Button>
    </EntryPage>
  );
}

/** The page was made for the setup, so the next one is loaded. */
function leave(): void {
  location.assign('/');
}
