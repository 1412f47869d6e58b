import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { PageLink } from '../design/page-link.tsx';
import { createLocations } from '../../transfer/profiles/site.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { usePermissions } from '../service/current-user.ts';
import { useFailureText } from '../service/failure-text.ts';
import { organisationQuery } from '../service/queries.ts';
import type { Recognized } from '../../transfer/programs/program.ts';
import type { SimilarLabel } from '../../transfer/label-spellings.ts';
import type { SourceRow } from '../../transfer/source-row.ts';
import type { Checked, PhotoTally } from './import-file.ts';
import { ProblemList } from './problem-list.tsx';
import styles from './transfer.module.css';

interface PreviewProps {
  checked: Checked;
  onStart: () => void;
  /** Called when the organisation has what the file needs. */
  onCheckAgain: () => void;
}

/** Shows what an import would do: counts, columns, the first rows, and problems. */
export function Preview({ checked, onStart, onCheckAgain }: PreviewProps) {
  const t = useTranslations('transfer.preview');
  const { counts, header, work, problems, photos } = checked;
  const [isRenaming, setIsRenaming] = useState(false);
  const count = counts.created + counts.updated + counts.incomplete;
  return (
    <div className={styles['stack']}>
      <h3>{t('title')}</h3>
      <ul className={styles['counts']}>
        <li>{t('created', { count: counts.created })}</li>
        <li>{t('updated', { count: counts.updated })}</li>
        {counts.incomplete > 0 && <li>{t('incomplete', { count: counts.incomplete })}</li>}
        {checked.drafts > 0 && <li>{t('drafts', { count: checked.drafts })}</li>}
        {Array.from(checked.leftOut, ([reason, count]) => (
          <li key={reason}>{t(`leftOut.${reason}`, { count })}</li>
        ))}
        <li>{t('failed', { count: counts.failed })}</li>
      </ul>
      {header?.recognized !== undefined && <Recognition {...header.recognized} />}
      <StillStored ids={checked.stillStored} />
      {work.keylessRows > 0 && <p>{t('keyless', { count: work.keylessRows })}</p>}
      {header !== undefined && header.rowsAbove > 0 && <p>{t('rowsAbove', { count: header.rowsAbove })}</p>}
      {header !== undefined && header.ignored.length > 0 && (
        <p className={styles['names']}>{t('ignored', { columns: header.ignored.join(', ') })}</p>
      )}
      <SimilarLabels labels={work.similarLabels} />
      <NewCategories names={work.newNames.categories} />
      <NewLocations names={work.newNames.locations} onCreated={onCheckAgain} />
      {photos !== undefined && <PhotoCounts photos={photos} />}
      {checked.rows.length > 0 && <FirstRows checked={checked} />}
      <ProblemList problems={problems} />
      {work.renames > 0 && (
        <>
          <p role="alert" className="wrong">
            {t('renames', { count: work.renames })}
          </p>
          <label>
            <input
              type="checkbox"
              checked={isRenaming}
              onChange={({ currentTarget }) => setIsRenaming(currentTarget.checked)}
            />{' '}
            {t('rename')}
          </label>
        </>
      )}
      <div>
        <Button
          onClick={onStart}
          disabled={
            count === 0 ||
            checked.questions.some(({ assumed }) => assumed === undefined) ||
            (work.renames > 0 && !isRenaming)
          }
        >
          {t('start', { count })}
        </Button>
      </div>
    </div>
  );
}

function Recognition({ program, known, total }: Recognized) {
  const t = useTranslations('transfer.preview');
  return <p>{t('recognized', { program: program.name, known, total })}</p>;
}

const SHOWN_LABELS = 10;

/** Categories and tags that are probably misspelled. */
function SimilarLabels({ labels }: { labels: readonly SimilarLabel[] }) {
  const t = useTranslations('transfer.preview');
  if (labels.length === 0) return null;
  return (
    <div className={styles['names']}>
      <p>{t('similarLabels')}</p>
      <ul>
        {labels.slice(0, SHOWN_LABELS).map(({ column, name, row, other, otherRow }) => (
          <li key={`${column} ${name}`}>
            {otherRow === undefined
              ? t('likeStored', { row, column, name, other })
              : t('likeRow', { row, column, name, other, otherRow })}
          </li>
        ))}
      </ul>
      {labels.length > SHOWN_LABELS && <p>{t('moreLabels', { count: labels.length - SHOWN_LABELS })}</p>}
    </div>
  );
}

/** Longer lists are cut. */
const SHOWN_NAMES = 20;

function useShownNames(): (names: readonly string[]) => string {
  const format = useFormatter();
  return (names) => format.list([...names.slice(0, SHOWN_NAMES), ...(names.length > SHOWN_NAMES ? ['…'] : [])]);
}

/** Pets that visitors may still see, although the file says that they are not to be adopted. */
function StillStored({ ids }: { ids: readonly bigint[] }) {
  const t = useTranslations('transfer.preview');
  if (ids.length === 0) return null;
  return (
    <div className={styles['names']}>
      <p>{t('stillStored', { count: ids.length })}</p>
      <p className="row">
        {ids.slice(0, SHOWN_NAMES).map((id) => (
          <PageLink key={String(id)} to="/pets/$petId" params={{ petId: String(id) }}>
            {String(id)}
          </PageLink>
        ))}
        {ids.length > SHOWN_NAMES && '…'}
      </p>
    </div>
  );
}

function NewCategories({ names }: { names: readonly string[] }) {
  const t = useTranslations('transfer.preview');
  const shown = useShownNames();
  if (names.length === 0) return null;
  return <p className={styles['names']}>{t('newCategories', { count: names.length, names: shown(names) })}</p>;
}

/** Locations that the organisation does not have. An administrator can create them all at once. */
function NewLocations({ names, onCreated }: { names: readonly string[]; onCreated: () => void }) {
  const t = useTranslations('transfer.preview');
  const failureText = useFailureText();
  const queries = useQueryClient();
  const shown = useShownNames();
  const { administer } = usePermissions();
  const { mutate, isPending, error } = useAction({
    mutationFn: () => createLocations(client, names),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: organisationQuery.queryKey });
      onCreated();
    },
  });
  if (names.length === 0) return null;
  const values = { count: names.length, names: shown(names) };
  return (
    <div className={styles['names']}>
      <p>{t(administer ? 'newLocations' : 'unknownLocations', values)}</p>
      {administer && (
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          {t('createLocations', values)}
        </Button>
      )}
      {error !== null && (
        <p role="alert" className="wrong">
          {failureText(error)}
        </p>
      )}
    </div>
  );
}

/** The problems of the rows name the others. */
const SHOWN_MISSING = 5;

function PhotoCounts({ photos: { rows, missing } }: { photos: PhotoTally }) {
  const t = useTranslations('transfer.preview');
  const names = [...missing].slice(0, SHOWN_MISSING).join(', ');
  return (
    <>
      <p>{t('photoRows', { count: rows })}</p>
      {missing.size > 0 && (
        <p className={styles['names']}>
          {t('photosMissing', { count: missing.size, names })}
          {missing.size > SHOWN_MISSING && ', …'}
        </p>
      )}
    </>
  );
}

function FirstRows({ checked: { header, rows, table } }: { checked: Checked }) {
  const t = useTranslations('transfer.preview');
  const outcome = useTranslations('transfer.outcomes');
  const found = header?.columns.filter((column) => column !== undefined);
  // A password is not for the eyes of others.
  const known = [...new Set((found ?? table.columns).map(table.fieldOf))].filter((field) => field !== 'password');
  // JSON has no columns: those without a value in any of the rows are left out.
  const fields = known.filter((field) => found !== undefined || rows.some(({ row }) => textOf(row, field) !== ''));
  return (
    <div role="region" tabIndex={0} aria-label={t('rows')} className={styles['scroller']}>
      <table className={styles['table']}>
        <caption>{t('rows')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('row')}</th>
            <th scope="col">{t('outcome')}</th>
            {fields.map((field) => (
              <th key={field} scope="col">
                {field}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, result }) => (
            <tr key={row.number}>
              <th scope="row">{row.number}</th>
              <td>{outcome(result.outcome)}</td>
              {fields.map((field) => (
                <td key={field}>{textOf(row, field)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf({ value }: SourceRow, field: string): string {
  const list = [value[field]].flat();
  return list
    .map(labelOf)
    .filter((text) => text !== '')
    .map((text) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text))
    .join(', ');
}

/** A story is longer. */
const MAX_SHOWN = 100;

/** A tag or a category may be an object with an ID and a name, and a bonded pet is one with an ID. */
function labelOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const { id = '', name = id } = value as { id?: string | number; name?: string | number };
    return String(name);
  }
  // As in an export.
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
