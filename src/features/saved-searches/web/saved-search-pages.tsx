import { useFormatter, useTranslations } from 'use-intl';
import { EntryPage } from '../../../web/account/entry/entry-page.tsx';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { useTokenOfAddress } from '../../../web/account/entry/token-of-address.ts';
import { MenagerieError } from '../../../client/failures.ts';
import { Button, LinkButton } from '../../../web/design/buttons.tsx';
import { EmptyState } from '../../../web/design/empty-state.tsx';
import { usePageTitle } from '../../../web/design/page.tsx';
import { useAction } from '../../../web/service/action.ts';
import { plainClient } from '../../../web/service/client.ts';

/*
 * The targets of links in messages about saved searches. Opening them changes nothing: programs that check links open
 * them too.
 */

export function ConfirmSearchPage() {
  const token = useTokenOfAddress();
  return <SearchByLink key={token} token={token} kind="confirm" />;
}

export function ManageSearchPage() {
  const token = useTokenOfAddress();
  return <SearchByLink key={token} token={token} kind="manage" />;
}

/** Confirms a search, or keeps it for longer; with `manage`, stops it. */
function SearchByLink({ token, kind }: { token: string; kind: 'confirm' | 'manage' }) {
  const t = useTranslations(`savedSearches.${kind}`);
  const stopText = useTranslations('savedSearches.manage')('stop');
  const confirm = useAction({ mutationFn: () => plainClient.confirmSavedSearch({ body: { token } }) });
  const stop = useAction({ mutationFn: () => plainClient.stopSavedSearch({ token }) });
  if (stop.isSuccess) return <Outcome kind="stopped" />;
  if (confirm.isSuccess) return <Outcome kind="confirmed" endsAt={confirm.data.endsAt} />;
  const isInvalid = confirm.error instanceof MenagerieError && confirm.error.code === 'invalid-input';
  if (token === '' || isInvalid) return <Outcome kind="invalid" />;
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <FormError error={confirm.error ?? stop.error} />
      {kind === 'manage' && (
        <Button loading={stop.isPending} onClick={() => stop.mutate()} data-initial-focus>
          {stopText}
        </Button>
      )}
      <Button
        variant={kind === 'manage' ? 'default' : 'filled'}
        loading={confirm.isPending}
        onClick={() => confirm.mutate()}
      >
        {t('submit')}
      </Button>
    </EntryPage>
  );
}

function Outcome({ kind, endsAt }: { kind: 'confirmed' | 'stopped' | 'invalid'; endsAt?: string }) {
  const t = useTranslations('savedSearches');
  const format = useFormatter();
  const title = t(`${kind}.title`);
  usePageTitle(title);
  const date = endsAt === undefined ? '' : format.dateTime(new Date(endsAt), { dateStyle: 'long' });
  return (
    <EmptyState
      level={1}
      title={title}
      actions={<LinkButton to="/">{t('all')}</LinkButton>}
      isError={kind === 'invalid'}
    >
      {t(`${kind}.text`, { date })}
    </EmptyState>
  );
}
