import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { organisationQuery } from '../../service/queries.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { OrganisationForm } from './organisation-form.tsx';

export function OrganisationPage() {
  return (
    <AdminOnly>
      <OneOrganisation />
    </AdminOnly>
  );
}

function OneOrganisation() {
  const t = useTranslations('administration.organisation');
  const { data, error } = useQuery({ ...organisationQuery, refetchOnWindowFocus: false });
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {data && <OrganisationForm read={data} />}
    </AdminPage>
  );
}
