import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import type { ListingPetView } from './listing-queries.ts';
import { Button, MoreButton } from '../../../web/design/buttons.tsx';
import { LeaveGuard } from '../../../web/editing/leave-guard.tsx';
import { inputOf, inputsOf } from '../../../web/editing/profile/profile-inputs.ts';
import { weightUnit } from '../../../web/editing/profile/profile-words.ts';
import { Options } from '../../../web/editing/profile/profile-section.tsx';
import { REQUIRED_FIELDS } from '../api/listing.ts';
import { judgedPetsQuery, missingFields, type Site } from './judged-pets.ts';
import { MissingRow } from './missing-row.tsx';
import { isTyped, useCells } from './use-cells.ts';
import adminStyles from '../../../web/administration/administration.module.css';
import styles from './missing-values.module.css';

/** More pets are only checked on demand: each takes the service up to a millisecond. */
const MAX_CHECKED_PAGES = 10;

const ROWS = 50;

/** A table of the pets that a site would list if they had a few more values, with inputs for exactly these. */
export function MissingValues({ site }: { site: Site }) {
  const t = useTranslations('administration.listings.missing');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        !isOpen && (
          <Button variant="default" onClick={() => setIsOpen(true)}>
            {t('open')}
          </Button>
        )
      }
    >
      {isOpen && <MissingTable site={site} />}
    </Section>
  );
}

function MissingTable({ site }: { site: Site }) {
  const t = useTranslations('administration.listings.missing');
  const { judged, isComplete } = useJudgedPets(site);
  const pets = judged.data?.pages.flatMap(({ items }) => items) ?? [];
  const incomplete = pets.filter((pet) => missingFields(pet).length > 0);
  const left = incomplete.length;
  const listed = pets.filter((pet) => pet.listed && !pet.refused).length;
  const status = useRef<HTMLParagraphElement>(null);
  // In place of the button that has opened the table.
  useEffect(() => status.current?.focus(), []);
  return (
    <>
      <p ref={status} role="status" tabIndex={-1} className={adminStyles['count']}>
        {isComplete ? t('count', { listed, left }) : t('checking', { count: pets.length })}{' '}
        {isComplete && judged.hasNextPage && t('checked', { count: pets.length })}
      </p>
      <FormError error={judged.error} />
      {isComplete && left > 0 && (
        <Cells site={site} incomplete={incomplete} onLastLeft={() => status.current?.focus()} />
      )}
      {isComplete && <MoreButton list={judged} label={t('checkMore')} />}
    </>
  );
}

function useJudgedPets(site: Site) {
  const judged = useInfiniteQuery(judgedPetsQuery(site));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = judged;
  const pages = data?.pages.length ?? 0;
  const goesOn = hasNextPage && pages < MAX_CHECKED_PAGES && !isError;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return { judged, isComplete: pages > 0 && !goesOn };
}

interface CellsProps {
  site: Site;
  incomplete: readonly ListingPetView[];
  /** Called when the last row is left with Enter. */
  onLastLeft: () => void;
}

function Cells({ site, incomplete, onLastLeft }: CellsProps) {
  const t = useTranslations('administration.listings.missing');
  const fieldName = useTranslations('profile.field');
  const listId = useId();
  const [most, setMost] = useState(ROWS);
  const { rowOf, change, save } = useCells(site);
  const mayLeave = useRef(false);
  const columns = REQUIRED_FIELDS.filter((name) => incomplete.some((pet) => missingFields(pet).includes(name)));
  const pets = incomplete.slice(0, most);
  const later = incomplete.length - pets.length;
  const typed = pets.filter(({ id }) => isTyped(rowOf(id).typed));
  const speciesOf = ({ id, profile }: ListingPetView) =>
    inputOf({ ...inputsOf(profile), ...rowOf(id).typed }, 'species');
  const species = [...new Set(pets.map(speciesOf))].filter((each) => each !== '');
  const breedsId = (each: string) => `${listId}-${each}`;
  const leave = (row: Element | null) => {
    const next = row?.nextElementSibling?.querySelector<HTMLElement>('td :is(input, select)');
    if (next === null || next === undefined) onLastLeft();
    else next.focus();
  };
  return (
    <>
      {columns.includes('size') && <SizeHelp species={species} />}
      <table className={`table ${styles['cells']}`} aria-label={t('title')}>
        <thead>
          <tr>
            <th scope="col">{t('pet')}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {fieldName(name)}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">{t('save')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {pets.map((pet) => (
            <MissingRow
              key={String(pet.id)}
              {...{ pet, columns, breedsId }}
              row={rowOf(pet.id)}
              onChange={(name, text) => change(pet.id, name, text)}
              onSave={() => save([pet])}
              onLeave={leave}
            />
          ))}
        </tbody>
      </table>
      {columns.includes('breedPrimary') &&
        species.map((each) => <Breeds key={each} id={breedsId(each)} species={each} />)}
      <div className="row">
        <Button disabled={typed.length === 0} onClick={() => save(typed)}>
          {t('saveAll', { count: typed.length })}
        </Button>
        {later > 0 && (
          <Button variant="default" onClick={() => setMost(most + ROWS)}>
            {t('showMore', { count: later })}
          </Button>
        )}
      </div>
      <LeaveGuard hasUnsaved={typed.length > 0} files={0} mayLeave={mayLeave} onDiscard={() => {}} />
    </>
  );
}

const WITH_SIZE_HELP = ['dog', 'cat', 'rabbit', 'horse'] as const;

function SizeHelp({ species }: { species: readonly string[] }) {
  const t = useTranslations();
  return (
    <ul className="soft small">
      {WITH_SIZE_HELP.filter((each) => species.includes(each)).map((each) => (
        <li key={each}>
          {t(`profile.species.${each}`)}: {t(`profileForm.sizeHelp.${each}`, { unit: weightUnit() })}
        </li>
      ))}
    </ul>
  );
}

/** The breeds that sites know. */
function Breeds({ id, species }: { id: string; species: string }) {
  const { data: breeds = [] } = useQuery({
    queryKey: ['listed-breeds', species],
    queryFn: async () => (await import('../api/breed-names.ts')).sharedBreedNames(species as 'dog'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Options id={id} options={breeds} />;
}
