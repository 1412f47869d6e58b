import { useQuery } from '@tanstack/react-query';
import { useId, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { categoriesQuery, type PetView } from '../../service/queries.ts';
import { useBulkActions } from './bulk-actions.ts';

const MAX_LENGTH = 100;

interface CategoryDialogProps {
  isOpen: boolean;
  pets: readonly PetView[];
  onClose: () => void;
}

export function CategoryDialog({ isOpen, pets, onClose }: CategoryDialogProps) {
  const t = useTranslations('listEditing.category');
  const { change } = useBulkActions();
  const form = useId();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get('category');
    const name = typeof typed === 'string' ? canonicalText(typed) : '';
    onClose();
    change(pets, { kind: 'category', name: name === '' ? null : name });
  };
  const actions = (
    <Button type="submit" form={form}>
      {t('confirm', { count: pets.length })}
    </Button>
  );
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('title')} actions={actions} size="small">
      <form id={form} onSubmit={submit}>
        <CategoryField />
      </form>
    </Dialog>
  );
}

function CategoryField() {
  const t = useTranslations('listEditing.category');
  const { data = [] } = useQuery(categoriesQuery);
  const list = useId();
  return (
    <>
      <TextField
        name="category"
        label={t('label')}
        description={t('description')}
        list={list}
        maxLength={MAX_LENGTH}
        autoComplete="off"
        data-autofocus
      />
      <datalist id={list}>
        {data.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </>
  );
}
