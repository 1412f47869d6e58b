import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Badge } from '../../../web/design/badge.tsx';
import { AdminOnly, AdminPage } from '../../../web/administration/admin-page.tsx';
import { listingsQuery, type ListingView } from './listing-queries.ts';
import { UploadState } from './upload-state.tsx';
import adminStyles from '../../../web/administration/administration.module.css';
import sectionStyles from '../../../web/account/section.module.css';

export function ListingsPage() {
  return (
    <AdminOnly>
      <Listings />
    </AdminOnly>
  );
}

function Listings() {
  const t = useTranslations('administration.listings');
  const { data: listings, error } = useQuery(listingsQuery);
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {listings !== undefined && (
        <ul className={sectionStyles['list']} aria-label={t('title')}>
          {listings.map((listing) => (
            <Item key={listing.site} listing={listing} />
          ))}
        </ul>
      )}
    </AdminPage>
  );
}

function Item({ listing }: { listing: ListingView }) {
  const t = useTranslations('administration.listings');
  const { site, on } = listing;
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          <Link to="/admin/listings/$site" params={{ site }} className={adminStyles['link']}>
            {t(`sites.${site}`)}
          </Link>
          <OnBadge on={on} />
        </p>
        <p className={sectionStyles['itemText']}>{t(`about.${site}`)}</p>
        <UploadState listing={listing} />
      </div>
    </li>
  );
}

export function OnBadge({ on }: Pick<ListingView, 'on'>) {
  const t = useTranslations('administration.listings');
  return <Badge tone={on ? 'available' : 'neutral'}>{t(on ? 'on' : 'off')}</Badge>;
}
