import { useTranslations } from 'use-intl';
import { isPlainField } from '../../api/web/profile-definitions.ts';
import { SelectField } from '../design/fields/field.tsx';
import type { Columns } from './import-file.ts';
import styles from './transfer.module.css';

interface ColumnFieldsProps {
  columns: Columns;
  isDisabled: boolean;
  /** @param column empty if the column is not imported */
  onChoose: (name: string, column: string) => void;
}

/** Shows what each column of the file is imported as. It is open if a name is neither that of a column nor known. */
export function ColumnFields({ columns, isDisabled, onChoose }: ColumnFieldsProps) {
  const t = useTranslations('transfer.columns');
  const labelOf = useColumnLabel();
  const { names, similar, table } = columns;
  const chosen = columns.columns.map((column) => column ?? '');
  const count = chosen.filter((column) => column !== '').length;
  return (
    <details className={styles['columns']} open={!columns.areKnown && (similar.size > 0 || count < names.length)}>
      <summary>{t('title', { count, total: names.length })}</summary>
      <p>{t('lead')}</p>
      <div className={styles['columnFields']}>
        {names.map((name, index) => (
          <SelectField
            // Two columns may have the same name.
            key={index}
            label={name === '' ? t('unnamed', { place: index + 1 }) : name}
            description={similar.has(name) ? t('similar') : undefined}
            value={chosen[index]}
            disabled={isDisabled || name === ''}
            onChange={({ currentTarget: { value } }) => onChoose(name, value)}
          >
            <option value="">{t('ignored')}</option>
            {table.columns.map((column) => (
              <option key={column} value={column}>
                {labelOf(column)}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
    </details>
  );
}

/** The name of a column, with the label that its field has on other pages. */
function useColumnLabel(): (column: string) => string {
  const t = useTranslations('transfer.columns');
  const field = useTranslations('profile.field');
  return (column) => (isPlainField(column) ? t('profile', { column, label: field(column) }) : column);
}
