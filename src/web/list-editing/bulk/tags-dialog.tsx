import { type SubmitEvent, useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import type { PetView } from '../../service/queries.ts';
import { useBulkActions } from './bulk-actions.ts';
import styles from './tags-dialog.module.css';
import { TagsToAdd } from './tags-to-add.tsx';

interface TagsToRemoveProps {
  pets: readonly PetView[];
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

interface TagsDialogProps {
  isOpen: boolean;
  pets: readonly PetView[];
  onClose: () => void;
}

/** Adds tags to the pets and removes tags from them. */
export function TagsDialog({ isOpen, pets, onClose }: TagsDialogProps) {
  const t = useTranslations('listEditing.tags');
  const form = useId();
  const [isEmpty, setEmpty] = useState(true);
  const actions = (
    <Button type="submit" form={form} disabled={isEmpty}>
      {t('confirm', { count: pets.length })}
    </Button>
  );
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('title')} actions={actions}>
      <TagsForm id={form} pets={pets} onClose={onClose} onEmpty={setEmpty} />
    </Dialog>
  );
}

interface TagsFormProps {
  id: string;
  pets: readonly PetView[];
  onClose: () => void;
  onEmpty: (isEmpty: boolean) => void;
}

/** Mounted again each time the dialog opens. */
function TagsForm({ id, pets, onClose, onEmpty }: TagsFormProps) {
  const { change } = useBulkActions();
  const [add, setAdd] = useState<readonly string[]>([]);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const notifyEmpty = (added: readonly string[], removed: readonly string[]) =>
    onEmpty(added.length + removed.length === 0);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (add.length + remove.length === 0) return;
    onClose();
    change(pets, { kind: 'tags', add, remove });
  };
  return (
    <form id={id} onSubmit={submit}>
      <TagsToAdd
        tags={add}
        onChange={(tags) => {
          setAdd(tags);
          notifyEmpty(tags, remove);
        }}
      />
      <TagsToRemove
        pets={pets}
        tags={remove}
        onChange={(tags) => {
          setRemove(tags);
          notifyEmpty(add, tags);
        }}
      />
    </form>
  );
}

/** Checkboxes for the tags of the pets. */
function TagsToRemove({ pets, tags, onChange }: TagsToRemoveProps) {
  const t = useTranslations('listEditing.tags');
  const counts = countTags(pets);
  if (counts.length === 0) return null;
  return (
    <fieldset className={styles['removing']}>
      <legend>{t('remove')}</legend>
      <div className={styles['chips']}>
        {counts.map(([name, count]) => (
          <label key={name} className={styles['removable']}>
            <input
              type="checkbox"
              checked={tags.includes(name)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...tags, name] : tags.filter((each) => each !== name))
              }
            />
            <span className={styles['tag']}>{name}</span>
            <span className={styles['tagCount']}>{t('count', { count })}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The most common first. */
function countTags(pets: readonly PetView[]): readonly (readonly [name: string, count: number])[] {
  const names = pets.flatMap((pet) => [...new Set(pet.tags.flatMap(({ name }) => name ?? []))]);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || a.localeCompare(b));
}
