import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { MATCHES, type Match } from '../../transfer/pet-matching.ts';
import { UnusableFile } from '../../transfer/unusable-file.ts';
import { Section } from '../account/section.tsx';
import { Field, SelectField } from '../design/fields/field.tsx';
import { useFailureText } from '../service/failure-text.ts';
import { Preview } from './preview.tsx';
import { ReportView } from './report-view.tsx';
import type { Records } from './import-file.ts';
import { useImport } from './use-import.ts';
import styles from './transfer.module.css';

const FILES = '.csv,.ndjson,.jsonl,text/csv,application/x-ndjson';

/** Checks a file when it is chosen, and imports it when the user confirms. */
export function ImportSection({ records }: { records: Records }) {
  const t = useTranslations('transfer.import');
  const { state, check, run } = useImport(records);
  const [file, setFile] = useState<File>();
  const [match, setMatch] = useState<Match>('id');
  const isRunning = state.phase === 'running';
  return (
    <Section title={t(`${records}.title`)} lead={t(`${records}.lead`)}>
      <div className={styles['fields']}>
        <Field label={t('file')} description={t('fileHint')}>
          {(controlProps) => (
            <input
              type="file"
              accept={FILES}
              disabled={isRunning}
              {...controlProps}
              onChange={({ currentTarget: { files } }) => {
                setFile(files?.[0]);
                check(files?.[0], match);
              }}
            />
          )}
        </Field>
        {records === 'pets' && (
          <SelectField
            label={t('match')}
            description={t('matchHint')}
            value={match}
            disabled={isRunning}
            onChange={({ currentTarget: { value } }) => {
              const chosen = MATCHES.find((candidate) => candidate === value) ?? 'id';
              setMatch(chosen);
              check(file, chosen);
            }}
          >
            {MATCHES.map((each) => (
              <option key={each} value={each}>
                {t(`matches.${each}`)}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      <div aria-live="polite">
        {state.phase === 'checking' && <p>{t('checking')}</p>}
        {state.phase === 'failed' && <Refusal error={state.error} />}
        {state.phase === 'checked' && (
          <Preview checked={state.checked} onStart={() => void run(state.file, state.checked)} />
        )}
        {state.phase === 'done' && <ReportView report={state.report} />}
      </div>
      {state.phase === 'running' && (
        <div className={styles['running']}>
          <progress max={state.total} value={state.done} aria-label={t('progress')} />
          <p>{t('done', { done: state.done, total: state.total })}</p>
          <Button variant="default" onClick={state.stop}>
            {t('cancel')}
          </Button>
        </div>
      )}
    </Section>
  );
}

function Refusal({ error }: { error: unknown }) {
  const t = useTranslations('transfer.faults');
  const failureText = useFailureText();
  const text =
    error instanceof UnusableFile ? t(error.fault, { place: String(error.place ?? '') }) : failureText(error);
  return (
    <p role="alert" className={styles['error']}>
      {text}
    </p>
  );
}
