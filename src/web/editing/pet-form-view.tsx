import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { TextField } from '../design/fields/field.tsx';
import { CategoryField } from './fields/category-field.tsx';
import { StatusField } from './fields/status-field.tsx';
import { TagsField } from './fields/tags-field.tsx';
import type { Problem } from './form-state/pet-check.ts';
import { typedCategory } from './form-state/pet-fields.ts';
import { useProblemText } from './merging/form-notices.tsx';
import type { PetFormState } from './form-state/use-pet-form.ts';
import { SaveBar } from './save-bar.tsx';
import styles from './pet-form-view.module.css';

interface PetFormViewProps {
  formId: string;
  form: PetFormState;
  /** Above the fields: the draft, and invalid fields. */
  notices: ReactNode;
  /** Changes of other users, and errors. */
  news: ReactNode;
  /** Beside the fields. */
  photos: ReactNode;
  /** Below the photos. */
  profile: ReactNode;
  /** The end of the form: what it is saved as. */
  actions: ReactNode;
  isSaving: boolean;
  /** For the keys that save. */
  onSave: () => void;
  onSaveAndAnother?: (() => void) | undefined;
  isNew: boolean;
}

/** The layout of the form. Its state is in `PetForm`. */
export function PetFormView(props: PetFormViewProps) {
  const { formId, form, isSaving, isNew, onSave } = props;
  const t = useTranslations('editing');
  useSaveKeys(formId, onSave, props.onSaveAndAnother);
  return (
    <form
      id={formId}
      noValidate
      aria-busy={isSaving}
      onSubmit={(event) => {
        event.preventDefault();
        // A new pet has several decisions, and Enter in a field is none of them.
        if (!isNew) onSave();
      }}
    >
      {props.notices}
      <div className={styles['columns']}>
        <section className={styles['fields']} aria-label={t('details')}>
          <Fields formId={formId} form={form} isNew={isNew} />
        </section>
        <section className={styles['photos']} aria-labelledby={`${formId}-photoUrls`}>
          <h2 id={`${formId}-photoUrls`} tabIndex={-1}>
            {t('field.photoUrls')}
          </h2>
          {props.photos}
        </section>
        <section className={styles['fields']} aria-labelledby={`${formId}-profile`}>
          {props.profile}
        </section>
      </div>
      <SaveBar news={props.news}>{props.actions}</SaveBar>
    </form>
  );
}

interface FieldsProps {
  formId: string;
  form: PetFormState;
  isNew: boolean;
}

function Fields({ formId, form, isNew }: FieldsProps) {
  const t = useTranslations('editing');
  const error = useFieldErrors(form.shownProblems);
  const { mine } = form;
  return (
    <>
      <TextField
        id={`${formId}-name`}
        label={t('field.name')}
        required
        autoComplete="off"
        data-initial-focus={isNew || undefined}
        value={mine.name}
        error={error('name')}
        onChange={({ currentTarget }) => form.change({ name: currentTarget.value })}
      />
      <StatusField
        id={`${formId}-status`}
        status={mine.status}
        error={error('status')}
        onChange={(status) => form.change({ status })}
      />
      <CategoryField
        id={`${formId}-category`}
        category={mine.category}
        error={error('category')}
        onChange={(text) => form.change({ category: typedCategory(text, form.base.fields.category) })}
      />
      <TagsField
        id={`${formId}-tags`}
        tags={mine.tags}
        text={form.tagText}
        error={error('tags')}
        onChange={(tags) => form.change({ tags })}
        onTextChange={form.changeTagText}
      />
    </>
  );
}

/** Saves on Ctrl+Enter or Cmd+Enter in any field. With Shift, another pet follows. */
function useSaveKeys(formId: string, onSave: () => void, onSaveAndAnother = onSave): void {
  const save = useEffectEvent((isLast: boolean) => (isLast ? onSave() : onSaveAndAnother()));
  useEffect(() => {
    const form = document.getElementById(formId);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      save(!event.shiftKey);
    };
    form?.addEventListener('keydown', onKeyDown);
    return () => form?.removeEventListener('keydown', onKeyDown);
  }, [formId]);
}

function useFieldErrors(problems: readonly Problem[]): (field: Problem['field']) => string | undefined {
  const problemText = useProblemText();
  return (field) => {
    const texts = problems.filter((problem) => problem.field === field).map(problemText);
    return texts.length === 0 ? undefined : texts.join(' ');
  };
}
