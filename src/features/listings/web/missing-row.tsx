import { Link } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import { useTranslations } from 'use-intl';
import type { ListingPetView } from './listing-queries.ts';
import { Button } from '../../../web/design/buttons.tsx';
import { FieldNotes } from '../../../web/design/fields/field.tsx';
import fieldStyles from '../../../web/design/fields/field.module.css';
import { WordOptions, WORDS } from '../../../web/editing/profile/profile-field.tsx';
import { inputOf, inputsOf, typeOf, type Inputs } from '../../../web/editing/profile/profile-inputs.ts';
import { useProfileProblemText, useValueText } from '../../../web/editing/profile/profile-words.ts';
import { REQUIRED_FIELDS } from '../api/listing.ts';
import { missingFields, type RequiredField } from './judged-pets.ts';
import { isTyped, type Row } from './use-cells.ts';
import styles from './missing-values.module.css';
import adminStyles from '../../../web/administration/administration.module.css';

interface MissingRowProps {
  pet: ListingPetView;
  row: Row;
  columns: readonly RequiredField[];
  /** The ID of the list of suggested breeds of a species. */
  breedsId: (species: string) => string;
  onChange: (name: RequiredField, text: string) => void;
  /** @returns whether the row can be saved */
  onSave: () => boolean;
  /** Called when the row will be saved. */
  onLeave: (row: Element | null) => void;
}

/** A pet with inputs for the fields that it lacks. Enter saves it. */
export function MissingRow({ pet, row, columns, breedsId, onChange, onSave, onLeave }: MissingRowProps) {
  const t = useTranslations('administration.listings.missing');
  const valueText = useValueText([]);
  const fieldName = useTranslations('profile.field');
  const formId = `cells-${pet.id}`;
  const shown = inputsOf(pet.profile);
  const missing = missingFields(pet);
  const save = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (onSave()) onLeave(event.currentTarget.closest('tr'));
  };
  const known = REQUIRED_FIELDS.filter((name) => !missing.includes(name)).flatMap(
    (name) => valueText(name, shown) ?? [],
  );
  return (
    <tr>
      <th scope="row">
        <form id={formId} onSubmit={save} />
        <Link to="/pets/$petId" params={{ petId: String(pet.id) }} className={adminStyles['link']}>
          {pet.name}
        </Link>
        <p className="soft small">{known.join(', ')}</p>
      </th>
      {columns.map((name) => (
        <td key={name}>
          {missing.includes(name) && (
            <>
              <span className={`small ${styles['fieldName']}`}>{fieldName(name)}</span>
              <Cell {...{ pet, row, name, formId, breedsId, shown, onChange }} />
            </>
          )}
        </td>
      ))}
      <td>
        <Button
          type="submit"
          form={formId}
          variant="default"
          aria-label={t('saveRow', { name: pet.name })}
          disabled={!isTyped(row.typed)}
          loading={row.isSaving}
        >
          {t('save')}
        </Button>
      </td>
    </tr>
  );
}

interface CellProps extends Pick<MissingRowProps, 'pet' | 'row' | 'breedsId' | 'onChange'> {
  name: RequiredField;
  formId: string;
  /** The values of the profile. */
  shown: Inputs;
}

function Cell({ pet, row, name, formId, breedsId, shown, onChange }: CellProps) {
  const t = useTranslations('administration.listings');
  const fieldName = useTranslations('profile.field');
  const problemText = useProfileProblemText();
  const id = `${formId}-${name}`;
  const problem = row.problems.find((each) => each.name === name);
  const unknown = pet.problems.find(({ field, value }) => field === name && value !== undefined);
  const described = [problem && `${id}-error`, unknown && `${id}-description`].filter((each) => each !== undefined);
  const { [name]: typed = name === 'breedPrimary' ? inputOf(shown, name) : '' } = row.typed;
  const props = {
    id,
    form: formId,
    className: fieldStyles['control'],
    value: typed,
    'aria-label': t('missing.cell', { field: fieldName(name), name: pet.name }),
    'aria-describedby': described.join(' ') || undefined,
    'aria-invalid': problem !== undefined || undefined,
  };
  return (
    <>
      {name === 'breedPrimary' || name === 'birthDate' ? (
        <input
          {...props}
          type={typeOf(name) === 'date' ? 'date' : 'text'}
          list={name === 'breedPrimary' ? breedsId(row.typed.species ?? inputOf(shown, 'species')) : undefined}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
        />
      ) : (
        <select
          {...props}
          onChange={({ currentTarget }) => onChange(name, currentTarget.value)}
          onKeyDown={(event) => {
            // Of the browsers, only some submit the form of a select.
            if (event.key !== 'Enter') return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        >
          {/* A site takes an unknown sex for a missing one. */}
          <WordOptions name={name} words={WORDS[name].filter((word) => word !== 'unknown')} />
        </select>
      )}
      <FieldNotes
        id={id}
        error={problem && problemText(problem)}
        description={unknown && t(`problems.${unknown.code}`, { value: unknown.value ?? '' })}
      />
    </>
  );
}
