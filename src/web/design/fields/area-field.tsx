import type { ComponentProps } from 'react';
import { Field, type FieldTexts } from './field.tsx';

interface AreaProps extends FieldTexts, Pick<ComponentProps<'textarea'>, 'name' | 'maxLength' | 'required'> {
  value: string;
  rows: number;
  onChange: (value: string) => void;
}

export function AreaField({ label, description, error, onChange, ...area }: AreaProps) {
  return (
    <Field label={label} description={description} error={error} required={area.required}>
      {(controlProps) => (
        <textarea {...area} {...controlProps} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </Field>
  );
}
