import { Combobox, useCombobox } from '@mantine/core';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Field } from '../../design/fields/field.tsx';
import { tagKey } from '../merging/three-way.ts';
import type { FormLabel } from '../pet-fields.ts';
import { Suggestions } from './suggestions.tsx';
import { TagList } from './tag-list.tsx';
import { isSameWord, isTagEnd, withTags } from './tag-words.ts';
import { useSuggestions } from './use-suggestions.ts';
import styles from './tags-field.module.css';

interface TagsFieldProps {
  id: string;
  tags: readonly FormLabel[];
  /** What is being typed, and is no tag yet. */
  text: string;
  onChange: (tags: readonly FormLabel[]) => void;
  onTextChange: (text: string) => void;
  error: string | undefined;
}

/** Tags, one after the other: typed, picked among those that other pets have, or pasted several at once. */
export function TagsField({ id, tags, text, onChange, onTextChange, error }: TagsFieldProps) {
  const t = useTranslations('editing');
  const [told, setTold] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const all = useSuggestions('tags', text);
  const suggestions = all.filter(({ name }) => !tags.some((tag) => tag.name === name));
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  const newName = text.trim();
  const isNew = newName !== '' && !all.some(({ name }) => isSameWord(name, newName));

  const add = (words: string) => {
    const next = withTags(
      tags,
      words,
      all.map(({ name }) => name),
    );
    onTextChange('');
    store.resetSelectedOption();
    if (next.length === tags.length) return;
    onChange(next);
    setTold(t('tags.added', { tags: next.slice(tags.length).map(tagKey).join(', ') }));
  };
  const remove = (removed: FormLabel) => {
    onChange(tags.filter((tag) => tag !== removed));
    setTold(t('tags.removed', { tag: tagKey(removed) }));
  };
  const type = (typed: string) => {
    if (isTagEnd(typed)) return add(typed);
    onTextChange(typed);
    store.openDropdown();
    store.resetSelectedOption();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    const last = tags.at(-1);
    if (event.key === 'Enter' && store.getSelectedOptionIndex() === -1) {
      event.preventDefault();
      add(text);
    }
    if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
  };

  return (
    <Combobox store={store} onOptionSubmit={add} withinPortal={false} middlewares={{ shift: true, flip: true }}>
      <Field id={id} label={t('field.tags')} error={error} description={t('tags.description')}>
        {(wiring) => (
          <Combobox.DropdownTarget>
            {/* A click beside the tags means the input; by keyboard one is there anyway. */}
            <div className={`${wiring.className} ${styles['box']}`} data-invalid={error !== undefined || undefined}>
              <TagList tags={tags} onRemove={remove} onEnd={() => input.current?.focus()} />
              <Combobox.EventsTarget withExpandedAttribute>
                <input
                  ref={input}
                  type="text"
                  aria-autocomplete="list"
                  value={text}
                  onChange={({ currentTarget }) => type(currentTarget.value)}
                  onPaste={(event) => {
                    const pasted = event.clipboardData.getData('text/plain');
                    if (!isTagEnd(pasted)) return;
                    event.preventDefault();
                    add(text + pasted);
                  }}
                  onKeyDown={onKeyDown}
                  onClick={() => store.openDropdown()}
                  onBlur={() => {
                    store.closeDropdown();
                    if (text.trim() !== '') add(text);
                  }}
                  {...wiring}
                  className={styles['input']}
                />
              </Combobox.EventsTarget>
            </div>
          </Combobox.DropdownTarget>
        )}
      </Field>
      <span className="visually-hidden" role="status">
        {told}
      </span>
      <Suggestions label={t('tags.suggestions')} suggestions={suggestions} newName={isNew ? newName : undefined} />
    </Combobox>
  );
}
