import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { MATCHES } from '../../transfer/pet-matching.ts';
import { UnusableFile } from '../../transfer/unusable-file.ts';
import { Section } from '../account/section.tsx';
import { Field, SelectField } from '../design/fields/field.tsx';
import { usePhotoLimits } from '../photos/photo-limits.ts';
import { useFailureText } from '../service/failure-text.ts';
import { ColumnFields } from './column-fields.tsx';
import { chooseColumn } from './column-maps.ts';
import { Preview } from './preview.tsx';
import { Questions } from './questions.tsx';
import { ReportView } from './report-view.tsx';
import type { ImportSettings, Records } from './import-file.ts';
import { useImport } from './use-import.ts';
import styles from './transfer.module.css';

const FILES = '.csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,text/plain,application/json,application/x-ndjson';
const ZIP_FILES = '.zip,application/zip';

/** Checks a file when it is chosen, and imports it when the user confirms. */
export function ImportSection({ records }: { records: Records }) {
  const t = useTranslations('transfer.import');
  const { state, columns, match, questions, check, run } = useImport();
  const [file, setFile] = useState<File>();
  const [settings, setSettings] = useState<ImportSettings>({
    records,
    match: undefined,
    zip: undefined,
    isStrict: false,
    answers: {},
  });
  const isRunning = state.phase === 'running';
  const change = (changed: Partial<ImportSettings>) => {
    setSettings({ ...settings, ...changed });
    check(file, { ...settings, ...changed });
  };
  return (
    <Section title={t(`${records}.title`)} lead={t(`${records}.lead`)}>
      <div className={styles['fields']}>
        <FileField
          label={t('file')}
          description={t('fileHint')}
          accept={FILES}
          disabled={isRunning}
          onChoose={(chosen) => {
            setFile(chosen);
            check(chosen, settings);
          }}
        />
        {records === 'pets' && (
          <PetFields match={match} isStrict={settings.isStrict} isDisabled={isRunning} onChange={change} />
        )}
      </div>
      {columns !== undefined && (
        <ColumnFields
          columns={columns}
          isDisabled={isRunning}
          onChoose={(name, column) => {
            chooseColumn(columns.names, name, column);
            check(file, settings);
          }}
        />
      )}
      <Questions
        questions={questions}
        answers={settings.answers}
        isDisabled={isRunning}
        onAnswer={(answer) => change({ answers: { ...settings.answers, ...answer } })}
      />
      <div aria-live="polite">
        {state.phase === 'checking' && <p>{t('checking')}</p>}
        {state.phase === 'failed' && <Refusal error={state.error} />}
        {state.phase === 'checked' && (
          <Preview
            checked={state.checked}
            onStart={() => void run(state.file, state.checked)}
            onCheckAgain={() => check(file, settings)}
          />
        )}
        {state.phase === 'done' && <ReportView report={state.report} />}
      </div>
      {state.phase === 'running' && <Running {...state} />}
    </Section>
  );
}

interface PetFieldsProps {
  match: ReturnType<typeof useImport>['match'];
  isStrict: boolean;
  isDisabled: boolean;
  onChange: (change: Partial<ImportSettings>) => void;
}

/** How pets are matched, and a file with their photos. */
function PetFields({ match, isStrict, isDisabled, onChange }: PetFieldsProps) {
  const t = useTranslations('transfer.import');
  const { size } = usePhotoLimits();
  return (
    <>
      <SelectField
        label={t('match')}
        description={t('matchHint')}
        value={match}
        disabled={isDisabled}
        onChange={({ currentTarget: { value } }) =>
          onChange({ match: MATCHES.find((candidate) => candidate === value) })
        }
      >
        {MATCHES.map((each) => (
          <option key={each} value={each}>
            {t(`matches.${each}`)}
          </option>
        ))}
      </SelectField>
      <FileField
        label={t('zip')}
        description={t('zipHint', { size })}
        accept={ZIP_FILES}
        disabled={isDisabled}
        onChoose={(zip) => onChange({ zip })}
      />
      <label>
        <input
          type="checkbox"
          checked={isStrict}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChange({ isStrict: currentTarget.checked })}
        />{' '}
        {t('strict')}
      </label>
    </>
  );
}

function Running({ done, total, stop }: { done: number; total: number; stop: () => void }) {
  const t = useTranslations('transfer.import');
  return (
    <div className={styles['running']}>
      <progress max={total} value={done} aria-label={t('progress')} />
      <p>{t('done', { done, total })}</p>
      <Button variant="default" onClick={stop}>
        {t('cancel')}
      </Button>
    </div>
  );
}

interface FileFieldProps {
  label: string;
  description: string;
  accept: string;
  disabled: boolean;
  onChoose: (file: File | undefined) => void;
}

function FileField({ label, description, accept, disabled, onChoose }: FileFieldProps) {
  return (
    <Field label={label} description={description}>
      {(controlProps) => (
        <input
          type="file"
          accept={accept}
          disabled={disabled}
          {...controlProps}
          onChange={({ currentTarget: { files } }) => onChoose(files?.[0])}
        />
      )}
    </Field>
  );
}

function Refusal({ error }: { error: unknown }) {
  const t = useTranslations('transfer.faults');
  const failureText = useFailureText();
  const text =
    error instanceof UnusableFile ? t(error.fault, { place: String(error.place ?? '') }) : failureText(error);
  return (
    <p role="alert" className="wrong">
      {text}
    </p>
  );
}
