import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { jsonText } from '../../api/records/record-text.ts';
import { BYTE_ORDER_MARK, csvText } from '../../transfer/csv.ts';
import { FILE_FORMATS, type FileFormat } from '../../transfer/rows.ts';
import { USER_COLUMNS, userCells } from '../../transfer/user-table.ts';
import { Section } from '../account/section.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { downloadText } from '../service/files.ts';

const PAGE_SIZE = 1000;

/** Downloads all users, without passwords. */
export function UserExport() {
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
