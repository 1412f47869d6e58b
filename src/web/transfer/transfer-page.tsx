import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { AnchorButton } from '../design/buttons.tsx';
import { Section } from '../account/section.tsx';
import { AdminTabs } from '../administration/admin-page.tsx';
import { StaffOnly } from '../routing/access.tsx';
import { Page } from '../design/page.tsx';
import { BASE } from '../service/client.ts';
import { usePermissions } from '../service/current-user.ts';
import { ImportSection } from './import-section.tsx';
import { UserExport } from './user-export.tsx';

/** Exports all pets, and imports pets from a file; for administrators, also users. */
export function TransferPage() {
  const t = useTranslations('transfer');
  const { administer } = usePermissions();
  return (
    <StaffOnly title={t('title')}>
      <Page title={t('title')} tabs={administer && <AdminTabs />}>
        <Section title={t('export.pets')} lead={t('export.petsLead')}>
          <div className="row">
            <ExportLink path="export/pets?format=csv&include=profile" label={t('export.csv')} />
            <ExportLink path="export/pets?include=profile" label={t('export.ndjson')} />
            <ExportLink path="export/pet-history" label={t('export.history')} />
          </div>
        </Section>
        <ImportSection records="pets" />
        {administer && <UserExport />}
        {administer && <ImportSection records="users" />}
      </Page>
    </StaffOnly>
  );
}

/** The browser streams the file to the disk. */
function ExportLink({ path, label }: { path: string; label: string }) {
  return (
    <AnchorButton
      href={`${BASE}/${path}`}
      download
      variant="default"
      leftSection={<Download size="1.1em" aria-hidden />}
    >
      {label}
    </AnchorButton>
  );
}
