import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { jsonText } from '../../api/records/record-text.ts';
import { Failure } from '../../domain/failure.ts';
import { reasonOfFileError } from '../../server/system/system-errors.ts';
import { csvText } from '../../transfer/csv.ts';
import type { RowResult } from '../../transfer/row-result.ts';
import { formatOf, type FileFormat } from '../../transfer/rows.ts';
import { problemText } from '../../transfer/source-row.ts';
import { UsageError } from '../terminal/output.ts';

const COLUMNS = ['row', 'outcome', 'id', 'error'];

/** Records the result of each row, as CSV or NDJSON. */
export class ResultFile {
  readonly #stream: WriteStream;
  readonly #format: FileFormat;

  private constructor(stream: WriteStream, format: FileFormat) {
    this.#stream = stream;
    this.#format = format;
    // Reported by the next row, or at the end.
    stream.on('error', () => {});
  }

  /** @throws UsageError for a file name without a known ending; Failure `invalid-input` */
  static async open(path: string): Promise<ResultFile> {
    const format = formatOf(path);
    if (format === undefined) throw new UsageError('The name of the result file must end with .csv or .ndjson.');
    const stream = createWriteStream(path);
    const file = new ResultFile(stream, format);
    await file.#explaining(once(stream, 'open'));
    if (format === 'csv') await file.#write(csvText([COLUMNS]));
    return file;
  }

  async add({ row, outcome, id, problems, leftOut }: RowResult): Promise<void> {
    const error = problems.map(problemText).join('; ') || (leftOut ?? '');
    const text =
      this.#format === 'csv'
        ? csvText([[String(row), outcome, id === undefined ? '' : String(id), error]])
        : `${jsonText({ row, outcome, id, ...(error !== '' && { error }) })}\n`;
    await this.#write(text);
  }

  async close(): Promise<void> {
    this.#stream.end();
    await this.#explaining(finished(this.#stream));
  }

  async #write(text: string): Promise<void> {
    const { errored } = this.#stream;
    if (errored !== null) await this.#explaining(Promise.reject(errored));
    if (!this.#stream.write(text)) await this.#explaining(once(this.#stream, 'drain'));
  }

  async #explaining(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      const reason = reasonOfFileError(error);
      if (reason === undefined) throw error;
      const path = String(this.#stream.path);
      throw new Failure('invalid-input', `The result file ${path} cannot be written: ${reason}.`);
    });
  }
}
