import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { organisationQuery } from '../../service/queries.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { LogoSection } from './logo-section.tsx';
import { OwnFieldsSection } from './own-fields-section.tsx';
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
    <AdminPage title={t('title')} lead={t('lead')} isNarrow>
      <FormError error={error} />
      {data && (
        <div className="stack">
          <LogoSection organisation={data.organisation} />
          <OrganisationForm read={data} />
          <OwnFieldsSection />
        </div>
      )}
    </AdminPage>
  );
}
