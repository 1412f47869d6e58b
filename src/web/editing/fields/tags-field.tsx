import { useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Field } from '../../design/fields/field.tsx';
import { tagKey } from '../form-state/three-way-merge.ts';
import type { FormLabel } from '../form-state/pet-fields.ts';
import { Suggestions, type NewName } from './suggestions.tsx';
import { TagList } from './tag-list.tsx';
import { isSameWord, isTagEnd, withTags } from '../form-state/tag-words.ts';
import { useCombobox } from './use-combobox.ts';
import { shownSuggestions, useSuggestions, type Suggestion } from './use-suggestions.ts';
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
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { tags, text } = value;
  const { combobox, ...editing } = useTagEditing(value);
  return (
    <>
      <Field id={id} label={t('field.tags')} error={error} description={t('tags.description')}>
        {(controlProps) => (
          // A click beside the tags focuses the input.
          <div
            ref={box}
            className={`${controlProps.className} ${styles['box']}`}
            data-invalid={error !== undefined || undefined}
          >
            <TagList tags={tags} onRemove={editing.remove} onEnd={() => input.current?.focus()} />
            <input
              ref={input}
              type="text"
              value={text}
              onChange={({ currentTarget }) => editing.type(currentTarget.value)}
              onPaste={editing.onPaste}
              onKeyDown={editing.onKeyDown}
              onClick={combobox.open}
              onBlur={() => {
                combobox.close();
                if (text.trim() !== '') editing.add(text);
              }}
              {...combobox.inputProps}
              {...controlProps}
              className={styles['input']}
            />
          </div>
        )}
      </Field>
      <span className="visually-hidden" role="status">
        {editing.announcement}
      </span>
      <Suggestions label={t('tags.suggestions')} options={editing.options} field={box} list={combobox.list} />
    </>
  );
}

/** Suggestions, and the handlers for typing, pasting and keys. */
function useTagEditing({ tags, text, onChange, onTextChange }: Omit<TagsFieldProps, 'id' | 'error'>) {
  const t = useTranslations('editing.tags');
  const [announcement, setAnnouncement] = useState('');
  const all = useSuggestions('tags', text);
  const newName = text.trim();
  const isNew = newName !== '' && !all.some(({ name }) => isSameWord(name, newName));
  const names = all.map(({ name }) => name);
  const unused = all.filter(({ name }) => !tags.some((tag) => tag.name === name));
  const options: readonly (Suggestion | NewName)[] = [
    ...shownSuggestions(unused),
    ...(isNew ? [{ name: newName }] : []),
  ];
  const combobox = useCombobox({ options: options.map(({ name }) => name), onChoose: add, isMultiple: true });

  function add(words: string): void {
    const next = withTags(tags, words, names);
    onTextChange('');
    combobox.reset();
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
    combobox,
    options,
    add,
    remove,
    type: (typed: string) => {
      if (isTagEnd(typed)) return add(typed);
      onTextChange(typed);
      combobox.open();
    },
    onPaste: (event: ClipboardEvent) => {
      const pasted = event.clipboardData.getData('text/plain');
      if (!isTagEnd(pasted)) return;
      event.preventDefault();
      add(text + pasted);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || combobox.onKeyDown(event)) return;
      const last = tags.at(-1);
      if (event.key === 'Enter') {
        event.preventDefault();
        add(text);
      }
      if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
    },
  };
}
