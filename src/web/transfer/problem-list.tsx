import { useTranslations } from 'use-intl';
import { PET_COLUMNS } from '../../transfer/pet-table.ts';
import { cellTypeOf, isProfileColumn, ownKeyOf } from '../../transfer/profiles/profile-columns.ts';
import { valuesOf } from '../../transfer/profiles/profile-words.ts';
import { USER_COLUMNS } from '../../transfer/user-table.ts';
import type { ProblemGroups } from '../../transfer/row-result.ts';
import type { RowProblem } from '../../transfer/source-row.ts';
import { usePhotoLimits } from '../photos/photo-limits.ts';
import styles from './transfer.module.css';

/** The problems of rows, by column. */
export function ProblemList({ problems: { groups, withheld } }: { problems: ProblemGroups }) {
  const t = useTranslations('transfer.problems');
  const textOf = useProblemText();
  if (groups.length === 0) return null;
  return (
    <div role="region" tabIndex={0} aria-label={t('title')} className={styles['problems']}>
      <ul>
        {groups.map(({ problem, rows, count }, index) => (
          <li key={index}>
            <strong>{t('rows', { count, rows: rows.join(', '), more: count - rows.length })}</strong> {textOf(problem)}
          </li>
        ))}
      </ul>
      {withheld > 0 && <p>{t('more', { count: withheld })}</p>}
    </div>
  );
}

/** `accountId` is not imported. The rules for passwords depend on the service, which names them. */
const COLUMNS = [...PET_COLUMNS, ...USER_COLUMNS.filter((column) => column !== 'accountId')] as const;

type Column = (typeof COLUMNS)[number];

/** A sentence in the language of the page. Only refusals of the service are in English. */
function useProblemText(): (problem: RowProblem) => string {
  const t = useTranslations('transfer.problems');
  const limits = usePhotoLimits();
  const ruleOf = (column = '') => {
    if (!isProfileColumn(column)) return undefined;
    const type = ownKeyOf(column) === undefined ? cellTypeOf(column) : 'own';
    return t(`profile.${type}`, { column, values: valuesOf(column).join(', ') });
  };
  return ({ kind, column, message, value, photo }) => {
    const known = COLUMNS.find((candidate): candidate is Column => candidate === column);
    const rule = known === undefined ? ruleOf(column) : t(`columns.${known}`);
    if (kind === 'invalid' && rule !== undefined)
      return value === undefined ? rule : `${rule} ${t('value', { value })}`;
    if (photo !== undefined) return t(`photos.${photo.fault}`, { ...photo, ...limits });
    if (kind === 'invalid' || kind === 'refused' || kind === 'photo' || kind === 'stopped') return message;
    return t(`kinds.${kind}`, { column: column ?? '' });
  };
}
