import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { tagsQuery } from '../../service/queries.ts';
import styles from './tags-dialog.module.css';

const MAX_LENGTH = 100;

interface TagsToAddProps {
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** An input for several tags. */
export function TagsToAdd({ tags, onChange }: TagsToAddProps) {
  const t = useTranslations('listEditing.tags');
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const name = canonicalText(text);
  const take = () => {
    if (!tags.includes(name)) onChange([...tags, name]);
    setText('');
  };
  return (
    <>
      <div>
        <TextField
          ref={field}
          label={t('add')}
          description={t('addHint')}
          list={list}
          value={text}
          maxLength={MAX_LENGTH}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            // Enter adds the typed tag; without one, it submits the form.
            if (event.key !== 'Enter' || name === '') return;
            event.preventDefault();
            take();
          }}
          onBlur={() => {
            // A click on the submit button must not lose a typed tag.
            if (name !== '' && !tags.includes(name)) take();
          }}
        />
        <KnownTags id={list} />
      </div>
      <Chips
        tags={tags}
        onDelete={(name) => {
          onChange(tags.filter((each) => each !== name));
          field.current?.focus();
        }}
      />
    </>
  );
}

/** The tags of all pets, as suggestions. */
function KnownTags({ id }: { id: string }) {
  const { data = [] } = useQuery(tagsQuery);
  return (
    <datalist id={id}>
      {data.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </datalist>
  );
}

/** The selected tags, each with a button that removes it. */
function Chips({ tags, onDelete }: { tags: readonly string[]; onDelete: (name: string) => void }) {
  const t = useTranslations('listEditing.tags');
  return (
    <ul className={styles['chips']} aria-label={t('adding')}>
      {tags.map((name) => (
        <li key={name}>
          <Button
            variant="default"
            className={styles['chip']}
            aria-label={t('notAdd', { name })}
            rightSection={<X size="1em" aria-hidden="true" />}
            onClick={() => onDelete(name)}
          >
            {name}
          </Button>
        </li>
      ))}
    </ul>
  );
}
