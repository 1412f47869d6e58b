import type { ComponentProps } from 'react';
import { Field, type FieldTexts } from './field.tsx';

type TextFieldProps = FieldTexts & Omit<ComponentProps<'input'>, 'className' | 'children'>;

/** One line of text; with `type`, an address of mail or whatever else browsers help with. */
export function TextField({ id, label, description, error, ...input }: TextFieldProps) {
  return (
    <Field id={id} label={label} description={description} error={error} required={input.required}>
      {(wiring) => <input type="text" {...input} {...wiring} />}
    </Field>
  );
}
