import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { FAULT_KINDS, MAX_FAULT_DELAY_MS, type FaultKind } from '../../api/web/fault-kinds.ts';
import { Button } from '../design/buttons.tsx';
import { SelectField, TextField } from '../design/fields/field.tsx';
import type { NewFaultRule } from './playground-queries.ts';

interface FaultFormProps {
  isBusy: boolean;
  onSubmit: (rule: NewFaultRule) => void;
}

const DEFAULT_DELAY_MS = '500';

export function FaultForm({ isBusy, onSubmit }: FaultFormProps) {
  const t = useTranslations('playground.faults');
  const [fault, setFault] = useState<FaultKind>('latency');
  const [operation, setOperation] = useState('');
  const [percent, setPercent] = useState('100');
  const [delayMs, setDelayMs] = useState(DEFAULT_DELAY_MS);

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    onSubmit({
      fault,
      share: Number(percent) / 100,
      ...(operation.trim() !== '' && { operation: operation.trim() }),
      ...(fault === 'latency' && { delayMs: Number(delayMs) }),
    });
  }

  return (
    <form className="stack" onSubmit={submit}>
      <SelectField
        label={t('fault')}
        value={fault}
        onChange={({ currentTarget }) => setFault(currentTarget.value as FaultKind)}
      >
        {FAULT_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`kind.${kind}`)}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t('operation')}
        description={t('operationHint')}
        value={operation}
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ currentTarget }) => setOperation(currentTarget.value)}
      />
      <NumberField label={t('share')} value={percent} max={100} onChange={setPercent} />
      {fault === 'latency' && (
        <NumberField label={t('delay')} value={delayMs} min={1} max={MAX_FAULT_DELAY_MS} onChange={setDelayMs} />
      )}
      <div>
        <Button type="submit" loading={isBusy}>
          {t('add')}
        </Button>
      </div>
    </form>
  );
}

interface NumberFieldProps {
  label: string;
  value: string;
  min?: number;
  max: number;
  onChange: (value: string) => void;
}

function NumberField({ label, value, min = 0, max, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      min={min}
      max={max}
      required
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
