import { useEffect, useState } from 'react';
import { TextField } from '../design/fields/field.tsx';

interface SearchFieldProps {
  label: string;
  hint?: string;
  /** As it stands in the address. */
  value: string | undefined;
  onChange: (text: string) => void;
}

const PAUSE_MS = 300;

/** Looks when one has stopped typing for a moment. */
export function SearchField({ label, hint, value = '', onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  // The address has changed by other means: back, a link, the filters taken away.
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
