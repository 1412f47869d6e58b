import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { writeJson } from '../../../client/int64-text.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { csvText, downloadText } from '../../service/files.ts';
import { useFailureText } from '../../service/failure-text.ts';
import type { AuditEntryView, AuditFilter } from '../admin-queries.ts';
import { useAuditWords } from './audit-words.ts';
import styles from '../administration.module.css';

const FORMATS = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

type Format = keyof typeof FORMATS;

/** Saves all matching entries as a file, including those that are not loaded. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const t = useTranslations('administration.audit');
  const failureText = useFailureText();
  const { sentence } = useAuditWords();
  const { exactDateTime } = useDateTimeFormats();
  const save = useAction({
    mutationFn: async (format: Format) => {
      const entries = await Array.fromAsync(client.listAuditEntries.lines(filter));
      const text = format === 'csv' ? csvText(rowsOf(entries, sentence, exactDateTime)) : entries.map(lineOf).join('');
      downloadText(text, `audit-log.${format}`, FORMATS[format]);
      return entries.length;
    },
    onSuccess: (count) => showNotice({ text: t('saved', { count }) }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  return (
    <div className={styles['export']}>
      {(['csv', 'ndjson'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          leftSection={<Download size="1.1em" aria-hidden />}
          loading={save.isPending && save.variables === format}
          disabled={save.isPending && save.variables !== format}
          onClick={() => save.mutate(format)}
        >
          {t(`export.${format}`)}
        </Button>
      ))}
    </div>
  );
}

const COLUMNS = ['id', 'at', 'action', 'outcome', 'actor', 'actorId', 'via', 'credential', 'address'] as const;
const MORE_COLUMNS = ['subjectKind', 'subjectId', 'subjectName', 'details', 'sentence', 'localTime'] as const;

function rowsOf(
  entries: readonly AuditEntryView[],
  sentence: (entry: AuditEntryView) => string,
  localTime: (at: string) => string,
) {
  const rows = entries.map((entry) => {
    const { id, at, action, outcome, actor, via, credential, address, subject, details } = entry;
    const values = [id, at, action, outcome, actor?.name, actor?.id, via, credential, address];
    const more = [subject?.kind, subject?.id, subject?.name, details && JSON.stringify(details)];
    return [...values, ...more, sentence(entry), localTime(at)].map((value) => String(value ?? ''));
  });
  return [[...COLUMNS, ...MORE_COLUMNS], ...rows];
}

function lineOf(entry: AuditEntryView): string {
  return `${writeJson(entry)}\n`;
}
