import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Button } from '../../../web/design/buttons.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { AdminOnly, AdminPage } from '../../../web/administration/admin-page.tsx';
import { listingsQuery, type ListingView } from './listing-queries.ts';
import { FeedKey } from './feed-key.tsx';
import { ListingPets } from './listing-pets.tsx';
import { MissingValues } from './missing-values.tsx';
import { OnBadge } from './listings-page.tsx';
import { UploadState } from './upload-state.tsx';
import adminStyles from '../../../web/administration/administration.module.css';
import sectionStyles from '../../../web/account/section.module.css';

export function ListingPage() {
  return (
    <AdminOnly>
      <OneListing />
    </AdminOnly>
  );
}

function OneListing() {
  const t = useTranslations('administration.listings');
  const { site } = useParams({ from: '/admin/listings/$site' });
  const { data: listings, error } = useQuery(listingsQuery);
  const listing = listings?.find((each) => each.site === site);
  return (
    <AdminPage title={listing === undefined ? t('title') : t(`sites.${listing.site}`)}>
      <Link to="/admin/listings" activeOptions={{ exact: true }} className={adminStyles['link']}>
        {t('all')}
      </Link>
      <FormError error={error} />
      {listings !== undefined && listing === undefined && <p>{t('unknown')}</p>}
      {listing !== undefined && (
        <>
          <Switch listing={listing} />
          <FeedKey listing={listing} />
          {listing.site !== 'open' && <MissingValues site={listing.site} />}
          <ListingPets site={listing.site} />
        </>
      )}
    </AdminPage>
  );
}

function Switch({ listing }: { listing: ListingView }) {
  const t = useTranslations('administration.listings');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { site, on, uploadTo, uploadPhase } = listing;
  const change = useAction({
    mutationFn: () => client.updateListing({ site, body: { on: !on } }),
    onSuccess: () => showNotice({ text: t(on ? 'switchedOff' : 'switchedOn') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: listingsQuery.queryKey }),
  });
  return (
    <Section
      title={t('state')}
      lead={t(on ? 'onText' : 'offText')}
      actions={
        <>
          {uploadPhase !== undefined && <UploadButton listing={listing} />}
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
            {t(on ? 'switchOff' : 'switchOn')}
          </Button>
        </>
      }
    >
      <div className="row">
        <OnBadge on={on} />
      </div>
      <p className={sectionStyles['itemText']}>
        {uploadTo === undefined ? t('noUpload') : t('upload', { place: uploadTo })}
      </p>
      <UploadState listing={listing} />
    </Section>
  );
}

function UploadButton({ listing: { site, uploadPhase } }: { listing: ListingView }) {
  const t = useTranslations('administration.listings');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const upload = useAction({
    mutationFn: () => client.uploadListing({ site }),
    onSuccess: () => showNotice({ text: t('uploadRequested') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: listingsQuery.queryKey, exact: true }),
  });
  return (
    <Button
      variant="default"
      loading={upload.isPending}
      disabled={uploadPhase === 'running'}
      onClick={() => upload.mutate()}
    >
      {t('uploadNow')}
    </Button>
  );
}
