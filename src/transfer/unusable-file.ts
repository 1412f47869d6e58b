type FileFault =
  | 'encoding'
  | 'not-text'
  | 'json'
  | 'json-length'
  | 'quotes'
  | 'row-too-long'
  | 'no-rows'
  | 'no-known-column'
  /** The file does not have a column that is mapped. */
  | 'no-mapped-column'
  | 'repeated-column'
  | 'no-match-column'
  /** The file with the photos is not a ZIP file, or damaged. */
  | 'zip'
  /** A name in the ZIP file leads out of it. */
  | 'zip-name';

/** The names of a table, and the known column at each position; undefined for one that is not imported. */
export interface NamedColumns {
  names: readonly string[];
  columns: readonly (string | undefined)[];
}

/** The file as a whole cannot be imported. Nothing was changed. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly fault: FileFault;
  /** The number of the row, the name of the column, or a name in the ZIP file. */
  readonly place: number | string | undefined;
  /** If another map of the columns would help. */
  readonly header: NamedColumns | undefined;

  constructor(message: string, fault: FileFault, place?: number | string, header?: NamedColumns) {
    super(message);
    this.fault = fault;
    this.place = place;
    this.header = header;
  }
}
