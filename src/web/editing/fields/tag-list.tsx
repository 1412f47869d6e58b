import { X } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl';
import { tagKey } from '../merging/three-way.ts';
import type { FormLabel } from '../pet-fields.ts';
import styles from './tags-field.module.css';

interface TagListProps {
  tags: readonly FormLabel[];
  onRemove: (tag: FormLabel) => void;
  /** The focus goes on behind the last of them. */
  onEnd: () => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** The tags that there are, each with a button that takes it away; arrows go from one to the next. */
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
    // The button is about to go: the focus is on its neighbour before, or on the input where there is none.
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

/** The same as long as the tag is there, wherever it moves: else the focus on it would be lost. */
function keyOf(tag: FormLabel, before: readonly FormLabel[]): string {
  const twins = before.filter(({ id, name }) => id === tag.id && name === tag.name);
  return JSON.stringify([tag, twins.length]);
}
