import { Download, Table2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { csvText, downloadText, type CsvCell } from '../service/files.ts';
import styles from './plot.module.css';

export interface PlotTable {
  head: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly CsvCell[])[];
}

interface PlotProps {
  title: string;
  /** What is to be seen in it, in a sentence. */
  summary: string;
  table: PlotTable;
  /** Of the file, without its ending. */
  fileName: string;
  isWide?: boolean;
  children: ReactNode;
}

/** A plot with what is behind it: as a table, and as a file. */
export function Plot({ title, summary, table, fileName, isWide = false, children }: PlotProps) {
  const t = useTranslations('dashboard.plot');
  const [showsTable, setShowsTable] = useState(false);
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
            aria-pressed={showsTable}
            aria-label={t('table', { title })}
            onClick={() => setShowsTable(!showsTable)}
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
      {showsTable ? <TableOf table={table} name={t('tableOf', { title })} /> : children}
    </section>
  );
}

function TableOf({ table: { head, rows }, name }: { table: PlotTable; name: string }) {
  return (
    // It can be scrolled, so it can be reached by keyboard.
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
