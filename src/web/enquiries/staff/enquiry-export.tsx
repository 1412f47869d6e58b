import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import type { EnquirySearch } from '../../../api/web/enquiry-rules.ts';
import { writeJson } from '../../../client/int64-text.ts';
import { BYTE_ORDER_MARK } from '../../../transfer/csv.ts';
import styles from '../../administration/administration.module.css';
import { Button } from '../../design/buttons.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { downloadText } from '../../service/files.ts';
import { filterOf } from './enquiry-queries.ts';

/** Saves all matching enquiries with their notes and answers, including those that are not loaded. */
export function EnquiryExport({ search }: { search: EnquirySearch }) {
  const t = useTranslations('enquiries');
  const failureText = useFailureText();
  const save = useAction({
    mutationFn: async () => {
      const rows = await client.exportEnquiries({ ...filterOf(search), format: 'csv' });
      // The client reads CSV as text, without the mark from which spreadsheets recognize UTF-8.
      const text =
        typeof rows === 'string' ? BYTE_ORDER_MARK + rows : rows.map((row) => `${writeJson(row)}\n`).join('');
      downloadText(text, 'enquiries.csv', 'text/csv');
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  return (
    <p className={styles['export']}>
      <Button
        variant="default"
        leftSection={<Download size="1.1em" aria-hidden />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {t('export')}
      </Button>
    </p>
  );
}
