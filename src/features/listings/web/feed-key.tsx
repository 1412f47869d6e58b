import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { Section } from '../../../web/account/section.tsx';
import { Button } from '../../../web/design/buttons.tsx';
import { useDateTimeFormats } from '../../../web/design/date-time.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { SecretDialog } from '../../../web/design/secret-dialog.tsx';
import { SecretField } from '../../../web/design/secret-field.tsx';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { listingsQuery, type ListingView } from './listing-queries.ts';
import sectionStyles from '../../../web/account/section.module.css';
import styles from './listings.module.css';

/** The addresses of the files, and their key, which is shown once. */
export function FeedKey({ listing: { site, urls, keyCreatedAt } }: { listing: ListingView }) {
  const t = useTranslations('administration.listings');
  const { dateTime } = useDateTimeFormats();
  const { create, revoke } = useKeyActions(site);
  const [first = '', ...others] = create.data?.urls ?? [];
  return (
    <Section
      title={t('address')}
      lead={t('addressLead')}
      actions={
        <>
          <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
            {t(keyCreatedAt === undefined ? 'createKey' : 'replaceKey')}
          </Button>
          {keyCreatedAt !== undefined && (
            <Button variant="default" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              {t('revokeKey')}
            </Button>
          )}
        </>
      }
    >
      <ul className={styles['lines']}>
        {urls.map((url) => (
          <li key={url}>{url}</li>
        ))}
      </ul>
      <p className={sectionStyles['itemText']}>
        {keyCreatedAt === undefined ? t('noKey') : t('keyCreated', { time: dateTime(keyCreatedAt) })}
      </p>
      {create.data !== undefined && (
        <SecretDialog title={t('keyTitle')} label={t('keyLabel')} value={first} onClose={() => create.reset()}>
          <p className="note" data-tone="pending">
            {t('keyText')}
          </p>
          {others.map((url) => (
            <SecretField key={url} label={t('keyLabel')} value={url} />
          ))}
        </SecretDialog>
      )}
    </Section>
  );
}

function useKeyActions(site: ListingView['site']) {
  const t = useTranslations('administration.listings');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const common = {
    onError: (error: Error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: listingsQuery.queryKey }),
  };
  const create = useAction({ ...common, mutationFn: () => client.createFeedKey({ site }) });
  const revoke = useAction({
    ...common,
    mutationFn: () => client.revokeFeedKey({ site }),
    onSuccess: () => showNotice({ text: t('keyRevoked') }),
  });
  return { create, revoke };
}
