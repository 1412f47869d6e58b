import { X } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { tagKey } from '../form-state/three-way-merge.ts';
import type { FormLabel } from '../form-state/pet-fields.ts';
import styles from './tags-field.module.css';

interface TagListProps {
  tags: readonly FormLabel[];
  onRemove: (tag: FormLabel) => void;
  /** Moves the focus past the last tag. */
  onEnd: () => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** The tags of the pet. Each has a button that removes it; arrow keys move between the buttons. */
export function TagList({ tags, onRemove, onEnd }: TagListProps) {
  const t = useTranslations('editing.tags');
  const list = useRef<HTMLUListElement>(null);
  if (tags.length === 0) return null;

  const focus = (index: number) => {
    const buttons = list.current?.querySelectorAll('button');
    const button = buttons?.[Math.max(0, index)];
    if (button === undefined) onEnd();
    else button.focus();
  };
  const remove = (tag: FormLabel, index: number) => {
    // The focused button is about to unmount: move the focus to a neighbour, or to the input.
    focus(index + 1 < tags.length ? index + 1 : tags.length > 1 ? index - 1 : tags.length);
    onRemove(tag);
  };
  const onKeyDown = (event: KeyboardEvent, tag: FormLabel, index: number) => {
    const step = STEPS[event.key];
    if (step !== undefined) focus(index + step);
    if (event.key !== 'Backspace' && event.key !== 'Delete') return;
    event.preventDefault();
    remove(tag, index);
  };
  return (
    <ul ref={list} className={styles['tags']} aria-label={t('list')}>
      {tags.map((tag, index) => (
        <li key={keyOf(tag, tags.slice(0, index))} className={styles['tag']}>
          <span>{tagKey(tag)}</span>
          <button
            type="button"
            aria-label={t('remove', { tag: tagKey(tag) })}
            onClick={() => remove(tag, index)}
            onKeyDown={(event) => onKeyDown(event, tag, index)}
          >
            <X size="1em" strokeWidth={2.5} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A key that stays the same when other tags are removed. Otherwise the focused button would unmount. */
function keyOf(tag: FormLabel, before: readonly FormLabel[]): string {
  const twins = before.filter(({ id, name }) => id === tag.id && name === tag.name);
  return JSON.stringify([tag, twins.length]);
}
