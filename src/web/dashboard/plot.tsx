import { Download, Table2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { csvText, downloadText, type CsvCell } from '../service/files.ts';
import styles from './plot.module.css';

export interface PlotTable {
  head: readonly string[];
  /** The first cell of a row is its header. */
  rows: readonly (readonly CsvCell[])[];
}

interface PlotProps {
  title: string;
  /** The plot in one sentence. */
  summary: string;
  table: PlotTable;
  /** Without its extension. */
  fileName: string;
  isWide?: boolean;
  children: ReactNode;
}

/** A plot whose data is also available as a table and as a CSV file. */
export function Plot({ title, summary, table, fileName, isWide = false, children }: PlotProps) {
  const t = useTranslations('dashboard.plot');
  const [isTableShown, setTableShown] = useState(false);
  const heading = useId();
  const save = () => downloadText(csvText([table.head, ...table.rows]), `${fileName}.csv`, 'text/csv;charset=utf-8');
  return (
    <section className={isWide ? `${styles['plot']} ${styles['wide']}` : styles['plot']} aria-labelledby={heading}>
      <header className={styles['header']}>
        <h2 id={heading} className={styles['title']}>
          {title}
        </h2>
        <div className={styles['tools']}>
          <button
            type="button"
            aria-pressed={isTableShown}
            aria-label={t('table', { title })}
            onClick={() => setTableShown(!isTableShown)}
          >
            <Table2 size="1.1em" aria-hidden />
            {t('tableShort')}
          </button>
          <button type="button" aria-label={t('csv', { title })} onClick={save}>
            <Download size="1.1em" aria-hidden />
            CSV
          </button>
        </div>
      </header>
      <p className={styles['summary']}>{summary}</p>
      {isTableShown ? <TableOf table={table} name={t('tableOf', { title })} /> : children}
    </section>
  );
}

function TableOf({ table: { head, rows }, name }: { table: PlotTable; name: string }) {
  return (
    // A scrollable region must be focusable for keyboard users.
    <div className={styles['tablePlace']} role="region" aria-label={name} tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {cells.map((cell, index) => (
                <td key={head[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
