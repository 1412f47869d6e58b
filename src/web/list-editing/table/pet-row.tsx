import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import fieldStyles from '../../design/fields/field.module.css';
import { showNotice } from '../../design/notices.ts';
import { inputOf } from '../../editing/profile/profile-inputs.ts';
import { locationsQuery, profileQuery, type ReadInputs } from '../../editing/profile/profile-queries.ts';
import { useValueText } from '../../editing/profile/profile-words.ts';
import { saveProfile } from '../../editing/profile/save-profile.ts';
import { useAction } from '../../service/action.ts';
import { useFailureText } from '../../service/failure-text.ts';
import type { PetStatus, PetView } from '../../service/queries.ts';
import { STATUSES, useStatusChange, useStatusName } from '../selection/status-change.ts';
import { isOfProfile, type Column } from './columns.ts';

interface PetRowProps {
  pet: PetView;
  columns: readonly Column[];
}

export function PetRow({ pet, columns }: PetRowProps) {
  const petId = String(pet.id);
  const { data: profile } = useQuery({ ...profileQuery(petId), enabled: columns.some(isOfProfile) });
  return (
    <tr>
      <th scope="row">
        <Link to="/pets/$petId" params={{ petId }}>
          {pet.name}
        </Link>
      </th>
      {columns.map((column) => (
        <td key={column}>
          <Cell column={column} pet={pet} profile={profile} />
        </td>
      ))}
    </tr>
  );
}

interface CellProps {
  column: Column;
  pet: PetView;
  /** Undefined while it is loading. */
  profile: ReadInputs | undefined;
}

function Cell({ column, pet, profile }: CellProps) {
  const t = useTranslations('profile');
  const word = useTranslations('pet');
  const valueText = useValueText([]);
  if (column === 'id') return String(pet.id);
  if (column === 'status') return <StatusCell pet={pet} />;
  if (column === 'category') return pet.category?.name;
  if (column === 'tags') return pet.tags.flatMap(({ name }) => name ?? []).join(', ');
  if (profile === undefined) return null;
  if (column === 'location') return <LocationCell pet={pet} profile={profile} />;
  if (column !== 'isPublished') return valueText(column, profile.inputs);
  return inputOf(profile.inputs, column) === 'no' ? <Badge tone="pending">{word('draft')}</Badge> : t('yesNo.yes');
}

function StatusCell({ pet }: { pet: PetView }) {
  const t = useTranslations('listEditing.table');
  const nameOf = useStatusName();
  const { changeStatus } = useStatusChange(pet);
  return (
    <select
      className={fieldStyles['control']}
      aria-label={t('statusOf', { name: pet.name })}
      value={pet.status ?? ''}
      onChange={({ currentTarget: { value } }) => changeStatus(value === '' ? undefined : (value as PetStatus))}
    >
      <option value="">{nameOf(undefined)}</option>
      {STATUSES.map((status) => (
        <option key={status} value={status}>
          {nameOf(status)}
        </option>
      ))}
    </select>
  );
}

function LocationCell({ pet, profile }: { pet: PetView; profile: ReadInputs }) {
  const t = useTranslations();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { data: locations = [] } = useQuery(locationsQuery);
  const petId = String(pet.id);
  const move = useAction<void, string>({
    mutationFn: (location) => saveProfile({ queries, petId, ownFields: [] }, profile, { ...profile.inputs, location }),
    onError: (error) => {
      showNotice({ text: t('listEditing.table.failed', { name: pet.name, why: failureText(error) }), isError: true });
      void queries.invalidateQueries({ queryKey: profileQuery(petId).queryKey });
    },
  });
  const location = inputOf(profile.inputs, 'location');
  const isKnown = location === '' || locations.some(({ id }) => id === location);
  return (
    <select
      className={fieldStyles['control']}
      aria-label={t('listEditing.table.locationOf', { name: pet.name })}
      value={move.isPending ? move.variables : location}
      disabled={move.isPending}
      onChange={({ currentTarget }) => move.mutate(currentTarget.value)}
    >
      <option value="">{t('profile.yesNo.unknown')}</option>
      {!isKnown && <option value={location}>{location}</option>}
      {locations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
