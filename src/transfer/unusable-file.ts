export type FileFault =
  | 'encoding'
  | 'quotes'
  | 'row-too-long'
  | 'no-rows'
  | 'no-known-column'
  | 'repeated-column'
  | 'no-match-column'
  /** The file with the photos is not a ZIP file, or damaged. */
  | 'zip'
  /** A name in the ZIP file leads out of it. */
  | 'zip-name';

/** The file as a whole cannot be imported. Nothing was changed. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly fault: FileFault;
  /** The number of the row, the name of the column, or a name in the ZIP file. */
  readonly place: number | string | undefined;

  constructor(message: string, fault: FileFault, place?: number | string) {
    super(message);
    this.fault = fault;
    this.place = place;
  }
}
