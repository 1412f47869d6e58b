import { Combobox, useCombobox, type ComboboxStore } from '@mantine/core';
import { useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Field } from '../../design/fields/field.tsx';
import { tagKey } from '../form-state/three-way-merge.ts';
import type { FormLabel } from '../form-state/pet-fields.ts';
import { Suggestions } from './suggestions.tsx';
import { TagList } from './tag-list.tsx';
import { isSameWord, isTagEnd, withTags } from '../form-state/tag-words.ts';
import { useSuggestions } from './use-suggestions.ts';
import styles from './tags-field.module.css';

interface TagsFieldProps {
  id: string;
  tags: readonly FormLabel[];
  /** Text in the input that is not a tag yet. */
  text: string;
  onChange: (tags: readonly FormLabel[]) => void;
  onTextChange: (text: string) => void;
  error: string | undefined;
}

/** A combobox for several tags: typed, selected from the existing ones, or pasted as a list. */
export function TagsField({ id, error, ...value }: TagsFieldProps) {
  const t = useTranslations('editing');
  const input = useRef<HTMLInputElement>(null);
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  const { tags, text } = value;
  const editing = useTagEditing(value, store);
  return (
    <Combobox store={store} onOptionSubmit={editing.add} withinPortal={false} middlewares={{ shift: true, flip: true }}>
      <Field id={id} label={t('field.tags')} error={error} description={t('tags.description')}>
        {(controlProps) => (
          <Combobox.DropdownTarget>
            {/* A click beside the tags focuses the input. */}
            <div
              className={`${controlProps.className} ${styles['box']}`}
              data-invalid={error !== undefined || undefined}
            >
              <TagList tags={tags} onRemove={editing.remove} onEnd={() => input.current?.focus()} />
              <Combobox.EventsTarget withExpandedAttribute>
                <input
                  ref={input}
                  type="text"
                  aria-autocomplete="list"
                  value={text}
                  onChange={({ currentTarget }) => editing.type(currentTarget.value)}
                  onPaste={editing.onPaste}
                  onKeyDown={editing.onKeyDown}
                  onClick={() => store.openDropdown()}
                  onBlur={() => {
                    store.closeDropdown();
                    if (text.trim() !== '') editing.add(text);
                  }}
                  {...controlProps}
                  className={styles['input']}
                />
              </Combobox.EventsTarget>
            </div>
          </Combobox.DropdownTarget>
        )}
      </Field>
      <span className="visually-hidden" role="status">
        {editing.announcement}
      </span>
      <Suggestions label={t('tags.suggestions')} suggestions={editing.suggestions} newName={editing.newName} />
    </Combobox>
  );
}

/** Suggestions, and the handlers for typing, pasting and keys. */
function useTagEditing(
  { tags, text, onChange, onTextChange }: Omit<TagsFieldProps, 'id' | 'error'>,
  store: ComboboxStore,
) {
  const t = useTranslations('editing.tags');
  const [announcement, setAnnouncement] = useState('');
  const all = useSuggestions('tags', text);
  const newName = text.trim();
  const isNew = newName !== '' && !all.some(({ name }) => isSameWord(name, newName));
  const names = all.map(({ name }) => name);

  function add(words: string): void {
    const next = withTags(tags, words, names);
    onTextChange('');
    store.resetSelectedOption();
    if (next.length === tags.length) return;
    onChange(next);
    setAnnouncement(t('added', { tags: next.slice(tags.length).map(tagKey).join(', ') }));
  }
  function remove(removed: FormLabel): void {
    onChange(tags.filter((tag) => tag !== removed));
    setAnnouncement(t('removed', { tag: tagKey(removed) }));
  }
  return {
    announcement,
    suggestions: all.filter(({ name }) => !tags.some((tag) => tag.name === name)),
    newName: isNew ? newName : undefined,
    add,
    remove,
    type: (typed: string) => {
      if (isTagEnd(typed)) return add(typed);
      onTextChange(typed);
      store.openDropdown();
      store.resetSelectedOption();
    },
    onPaste: (event: ClipboardEvent) => {
      const pasted = event.clipboardData.getData('text/plain');
      if (!isTagEnd(pasted)) return;
      event.preventDefault();
      add(text + pasted);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
      const last = tags.at(-1);
      if (event.key === 'Enter' && store.getSelectedOptionIndex() === -1) {
        event.preventDefault();
        add(text);
      }
      if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
    },
  };
}
