import { useEffect, useState } from 'react';
import { SelectField, TextField } from '../design/fields/field.tsx';

interface SearchFieldProps {
  label: string;
  hint?: string;
  /** As in the address. */
  value: string | undefined;
  onChange: (text: string) => void;
}

const PAUSE_MS = 300;

/** A filter by text, applied when the user pauses typing. */
export function SearchField({ label, hint, value = '', onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  // The address was changed in another way: by going back, a link, or clearing the filters.
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

interface ChoiceFieldProps<Choice extends string | number> {
  label: string;
  /** The label of the choice that filters nothing. */
  anyLabel: string;
  choices: readonly Choice[];
  nameOf: (choice: Choice) => string;
  value: Choice | undefined;
  onChange: (choice: string) => void;
}

/** A filter by one of several values. */
export function ChoiceField<Choice extends string | number>(props: ChoiceFieldProps<Choice>) {
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
