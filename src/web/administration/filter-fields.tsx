import { useEffect, useState } from 'react';
import { SelectField, TextField } from '../design/fields/field.tsx';

interface TextFilterProps {
  label: string;
  hint?: string;
  /** The value in the address. */
  value: string | undefined;
  onChange: (text: string) => void;
}

const PAUSE_MS = 300;

/** A text filter, applied when the user pauses typing. */
export function TextFilter({ label, hint, value = '', onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  // The address changed in another way: by going back, a link, or clearing the filters.
  if (seen !== value) {
    setSeen(value);
    if (typed.trim() !== value.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value.trim()) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextField
      type="search"
      label={label}
      placeholder={hint}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

interface SelectFilterProps<Choice extends string | number> {
  label: string;
  /** The label of the option without a filter. */
  anyLabel: string;
  choices: readonly Choice[];
  nameOf: (choice: Choice) => string;
  value: Choice | undefined;
  onChange: (choice: string) => void;
}

export function SelectFilter<Choice extends string | number>(props: SelectFilterProps<Choice>) {
  const { label, anyLabel, choices, nameOf, value = '', onChange } = props;
  return (
    <SelectField label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{anyLabel}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {nameOf(choice)}
        </option>
      ))}
    </SelectField>
  );
}
