import { useId, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import type { PetView } from '../../service/queries.ts';
import { TagsToAdd } from './tags-to-add.tsx';
import { TagsToRemove } from './tags-to-remove.tsx';
import { useBulkActions } from './bulk-actions.ts';

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
