import { type InfiniteData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Badge } from '../../design/badge.tsx';
import fieldStyles from '../../design/fields/field.module.css';
import { showNotice } from '../../design/notices.ts';
import { inputOf, type Inputs, inputsOf } from '../../editing/profile/profile-inputs.ts';
import { locationsQuery } from '../../editing/profile/profile-queries.ts';
import { useValueText } from '../../editing/profile/profile-words.ts';
import { saveListed } from '../../editing/profile/save-profile.ts';
import { useAction } from '../../service/action.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { PETS_KEY, type PetStatus, type PetView, type SearchPage } from '../../service/queries.ts';
import { STATUSES, useStatusChange, useStatusName } from '../selection/status-change.ts';
import type { Column } from './columns.ts';

/** A pet of a list, and what the list has of its profile. */
export interface FoundPet {
  pet: PetView;
  profile: NonNullable<SearchPage['profiles']>[number]['profile'] | undefined;
}

interface PetRowProps extends FoundPet {
  columns: readonly Column[];
}

export function PetRow({ pet, profile = {}, columns }: PetRowProps) {
  const inputs = inputsOf(profile);
  return (
    <tr>
      <th scope="row">
        <Link to="/pets/$petId" params={{ petId: String(pet.id) }}>
          {pet.name}
        </Link>
      </th>
      {columns.map((column) => (
        <td key={column}>
          <Cell column={column} pet={pet} inputs={inputs} />
        </td>
      ))}
    </tr>
  );
}

interface CellProps {
  column: Column;
  pet: PetView;
  /** The profile of the pet. */
  inputs: Inputs;
}

function Cell({ column, pet, inputs }: CellProps) {
  const valueText = useValueText([]);
  if (column === 'id') return String(pet.id);
  if (column === 'status') return <StatusCell pet={pet} />;
  if (column === 'category') return pet.category?.name;
  if (column === 'tags') return pet.tags.flatMap(({ name }) => name ?? []).join(', ');
  if (column === 'location') return <LocationCell pet={pet} inputs={inputs} />;
  const text = valueText(column, inputs);
  return column === 'isPublished' && inputOf(inputs, column) === 'no' ? <Badge tone="pending">{text}</Badge> : text;
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

function LocationCell({ pet, inputs }: Omit<CellProps, 'column'>) {
  const t = useTranslations();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { data: locations = [] } = useQuery(locationsQuery);
  const move = useAction<void, string>({
    mutationFn: (location) => movePet(queries, pet.id, inputs, location),
    onError: (error) => {
      showNotice({ text: t('listEditing.table.failed', { name: pet.name, why: failureText(error) }), isError: true });
      void queries.invalidateQueries({ queryKey: [...PETS_KEY, 'search'] });
    },
  });
  const location = inputOf(inputs, 'location');
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

/** @param shown the profile in the list @throws OverlapError, MenagerieError, NetworkError */
async function movePet(queries: QueryClient, id: bigint, shown: Inputs, location: string): Promise<void> {
  await saveListed(queries, String(id), shown, { location });
  queries.setQueriesData<InfiniteData<SearchPage>>({ queryKey: [...PETS_KEY, 'search'] }, (found) => {
    // Undefined leaves the cached list unchanged, with its age.
    if (found?.pages.some((page) => hasPet(page, id)) !== true) return undefined;
    return { ...found, pages: found.pages.map((page) => (hasPet(page, id) ? moved(page, id, location) : page)) };
  });
}

function hasPet({ pets }: SearchPage, id: bigint): boolean {
  return pets.some((pet) => pet.id === id);
}

function moved(page: SearchPage, petId: bigint, location: string): SearchPage {
  const isOther = (each: { petId: bigint }) => each.petId !== petId;
  const { profiles = [] } = page;
  const { location: _before, ...profile } = profiles.find((each) => !isOther(each))?.profile ?? {};
  const now = { petId, profile: location === '' ? profile : { ...profile, location } };
  return { ...page, profiles: [...profiles.filter(isOther), now] };
}
