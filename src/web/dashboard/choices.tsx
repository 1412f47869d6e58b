import { useId } from 'react';
import styles from './choices.module.css';

interface ChoicesProps<Choice extends string> {
  label: string;
  choices: readonly Choice[];
  nameOf: (choice: Choice) => string;
  value: Choice;
  onChange: (choice: Choice) => void;
}

/** A few short choices in a row, of which one is chosen. */
export function Choices<Choice extends string>({ label, choices, nameOf, value, onChange }: ChoicesProps<Choice>) {
  const name = useId();
  return (
    <fieldset className={styles['choices']}>
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice} className={styles['choice']}>
          <input
            type="radio"
            name={name}
            className="covering"
            checked={choice === value}
            onChange={() => onChange(choice)}
          />
          {nameOf(choice)}
        </label>
      ))}
    </fieldset>
  );
}
