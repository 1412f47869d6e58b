import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { jsonText } from '../../api/records/record-text.ts';
import { BYTE_ORDER_MARK, csvText } from '../../transfer/csv.ts';
import { FILE_FORMATS, type FileFormat } from '../../transfer/rows.ts';
import { USER_COLUMNS, userCells } from '../../transfer/user-table.ts';
import { Section } from '../account/section.tsx';
import { AdminPage } from '../administration/admin-page.tsx';
import { AnchorButton, Button } from '../design/buttons.tsx';
import { Page } from '../design/page.tsx';
import { StaffOnly } from '../routing/access.tsx';
import { useAction } from '../service/action.ts';
import { BASE, client } from '../service/client.ts';
import { usePermissions } from '../service/current-user.ts';
import { useFailureText } from '../service/failure-text.ts';
import { downloadText } from '../service/files.ts';
import { useLanguage } from '../texts/loaded-texts.ts';
import { ImportSection } from './import-section.tsx';

const PAGE_SIZE = 1000;

/** Exports all pets, and imports pets from a file; for administrators, also users. */
export function TransferPage() {
  const t = useTranslations('transfer');
  const { administer } = usePermissions();
  // Excel in German expects semicolons.
  const language = useLanguage();
  const Frame = administer ? AdminPage : Page;
  return (
    <StaffOnly title={t('title')}>
      <Frame title={t('title')}>
        <Section title={t('export.pets')} lead={t('export.petsLead')}>
          <div className="row">
            <ExportLink
              path={`export/pets?format=csv&include=profile${language === 'de' ? '&delimiter=semicolon' : ''}`}
              label={t('export.csv')}
            />
            <ExportLink path="export/pets?format=csv&for=asm3" label={t('export.asm3')} />
            <ExportLink path="export/pets?include=profile" label={t('export.ndjson')} />
            <ExportLink path="export/pet-history" label={t('export.history')} />
          </div>
        </Section>
        <ImportSection records="pets" />
        {administer && <UserExport />}
        {administer && <ImportSection records="users" />}
      </Frame>
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

/** Downloads all users, without passwords. */
function UserExport() {
  const t = useTranslations('transfer.export');
  const failureText = useFailureText();
  const download = useAction({ mutationFn: downloadUsers });
  return (
    <Section title={t('users')} lead={t('usersLead')}>
      <div className="row">
        {FILE_FORMATS.map((format) => (
          <Button
            key={format}
            variant="default"
            loading={download.isPending && download.variables === format}
            leftSection={<Download size="1.1em" aria-hidden />}
            onClick={() => download.mutate(format)}
          >
            {t(format)}
          </Button>
        ))}
      </div>
      {download.error !== null && (
        <p role="alert" className="wrong">
          {failureText(download.error)}
        </p>
      )}
    </Section>
  );
}

async function downloadUsers(format: FileFormat): Promise<void> {
  const users = await Array.fromAsync(client.searchUsers.all({ limit: PAGE_SIZE }));
  if (format === 'csv')
    return downloadText(BYTE_ORDER_MARK + csvText([USER_COLUMNS, ...users.map(userCells)]), 'users.csv', 'text/csv');
  const lines = users.map((user) => `${jsonText(user)}\n`).join('');
  downloadText(lines, 'users.ndjson', 'application/x-ndjson');
}
