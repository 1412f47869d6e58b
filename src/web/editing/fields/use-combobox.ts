import { useId, useState, type KeyboardEvent } from 'react';
import { useActiveOption } from '../../design/active-option.ts';

export interface OptionListProps {
  id: string;
  isOpen: boolean;
  activeIndex: number | undefined;
  onChoose: (option: string) => void;
}

interface ComboboxOptions {
  options: readonly string[];
  onChoose: (option: string) => void;
  /** The list stays open for another choice. */
  isMultiple?: boolean;
}

/**
 * The state of a text field with a list of options (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The focus
 * stays in the field, which refers to the active option.
 */
export function useCombobox({ options, onChoose, isMultiple = false }: ComboboxOptions) {
  const id = useId();
  const [isWanted, setIsWanted] = useState(false);
  const { activeIndex, move, reset } = useActiveOption(options);
  const active = activeIndex === undefined ? undefined : options[activeIndex];
  const isOpen = isWanted && options.length > 0;

  function show(isShown: boolean): void {
    setIsWanted(isShown);
    reset();
  }

  function choose(option: string): void {
    show(isMultiple);
    onChoose(option);
  }

  /** @returns whether the key was for the list */
  function onKeyDown(event: KeyboardEvent): boolean {
    const { key, nativeEvent, ctrlKey, metaKey } = event;
    if (nativeEvent.isComposing || ctrlKey || metaKey) return false;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      setIsWanted(true);
      move(key === 'ArrowDown' ? 1 : -1);
    } else if (key === 'Enter' && isOpen && active !== undefined) choose(active);
    else if (key === 'Escape' && isOpen) show(false);
    else return false;
    event.preventDefault();
    return true;
  }

  const inputProps = {
    role: 'combobox',
    autoComplete: 'off',
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-expanded': isOpen,
    'aria-controls': id,
    'aria-activedescendant': isOpen && activeIndex !== undefined ? optionId(id, activeIndex) : undefined,
  } as const;
  const list: OptionListProps = { id, isOpen, activeIndex, onChoose: choose };
  return { inputProps, list, onKeyDown, open: () => show(true), close: () => show(false), reset };
}

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
