import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { jsonText } from '../../api/answers.ts';
import { Failure } from '../../domain/failure.ts';
import { csvText } from '../../transfer/csv.ts';
import type { RowResult } from '../../transfer/row-result.ts';
import { formatOf, type FileFormat } from '../../transfer/rows.ts';
import { UsageError } from '../output.ts';
import { problemText } from './problem-text.ts';

const COLUMNS = ['row', 'outcome', 'id', 'error'];

/** Records the result of each row, as CSV or NDJSON. */
export class ResultFile {
  readonly #stream: WriteStream;
  readonly #format: FileFormat;

  private constructor(stream: WriteStream, format: FileFormat) {
    this.#stream = stream;
    this.#format = format;
  }

  /** @throws UsageError for a file name without a known ending; Failure `invalid-input` */
  static async open(path: string): Promise<ResultFile> {
    const format = formatOf(path);
    if (format === undefined) throw new UsageError('The name of the result file must end with .csv or .ndjson.');
    const stream = createWriteStream(path);
    await once(stream, 'open').catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure('invalid-input', `The result file cannot be written: ${reason}`);
    });
    if (format === 'csv') stream.write(csvText([COLUMNS]));
    return new ResultFile(stream, format);
  }

  async add({ row, outcome, id, problems }: RowResult): Promise<void> {
    const error = problems.map(problemText).join('; ');
    const text =
      this.#format === 'csv'
        ? csvText([[String(row), outcome, id === undefined ? '' : String(id), error]])
        : `${jsonText({ row, outcome, id, ...(error !== '' && { error }) })}\n`;
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }

  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, 'finish');
  }
}
