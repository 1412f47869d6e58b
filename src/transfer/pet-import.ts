import type { BulkResult, SentBulkEntry } from '../api/records/bulk.ts';
import { MenagerieError, type Client } from '../client/client.ts';
import { writeJson } from '../client/int64-text.ts';
import { Failure } from '../domain/failure.ts';
import { LabelSpellings, NewLocations, type SimilarLabel } from './label-spellings.ts';
import { PetMatching, type Match } from './pet-matching.ts';
import { readableRow, type PetChecks } from './pet-checks.ts';
import { PhotoUnusable, type PhotoFault, type PhotoSource } from './photo-source.ts';
import { creation, patch } from './pet-requests.ts';
import { petColumnOf } from './pet-table.ts';
import { profilePatchOf } from './profile-cells.ts';
import type { Site } from './profiles/site.ts';
import { failedRow, skippedRow, type Import, type NewNames, type Outcome, type RowResult } from './row-result.ts';
import { invalidFields, type RowProblem, type SourceRow } from './source-row.ts';

interface PetImportDeps {
  client: Client;
  /** By default by ID, here or in another system, if the file has one. */
  match: Match | undefined;
  site: Site;
  checks: PetChecks;
  photos?: PhotoSource | undefined;
  /**
   * Makes a photo smaller that the service refused as too large, each time more so. By default, it is reported.
   *
   * @throws Failure if it cannot be decoded
   */
  shrink?: (photo: Uint8Array, refusals: number) => Promise<Uint8Array<ArrayBuffer>>;
  /** Whether a row is not stored if one of its cells cannot be. */
  isStrict: boolean;
  /** Whether new pets are published if the file does not say whether they are drafts. */
  isPublishing: boolean;
}

/** Large enough for full speed, and small enough to cancel soon. */
const MAX_BATCH_ROWS = 1000;
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** Photos take longer than rows. */
const MAX_BATCH_PHOTOS = 20;

/** A batch is as long as the longest line, or a thousand lines of a busy service. */
const BATCH_TIMEOUT_MS = 10 * 60_000;
/** The last one has 3 % of the pixels. */
const MAX_SHRINKS = 6;
/** A photo of 10 MiB at 125 kbit/s. */
const PHOTO_TIMEOUT_MS = 12 * 60_000;

interface PlannedRow {
  number: number;
  id: bigint | undefined;
  entry: SentBulkEntry;
  photos: readonly string[];
  isDraft: boolean;
  /** Those of the cells that are left out. */
  problems: readonly RowProblem[];
}

/**
 * Imports pets in two passes over their rows: `addRow` and `prepare` match the rows to stored pets, then `run` stores
 * them in batches. Each row is stored completely or not at all, except for photos, which follow one by one. Repeating
 * an import changes nothing that is already stored.
 */
export class PetImport implements Import {
  readonly #deps: PetImportDeps;
  readonly #matching: PetMatching;
  readonly #spellings = new LabelSpellings();
  readonly #locations = new NewLocations();
  /** Why the service cannot take more photos. */
  #outage: unknown;

  constructor(deps: PetImportDeps) {
    this.#deps = deps;
    this.#matching = new PetMatching(deps.match);
  }

  /** Rows that become new pets each time they are imported. */
  get keylessRows(): number {
    return this.#matching.keylessRows;
  }

  /** How the rows are matched to stored pets. After the first row. */
  get match(): Match {
    return this.#matching.match;
  }

  get renames(): number {
    return this.#matching.renames;
  }

  get similarLabels(): readonly SimilarLabel[] {
    return this.#spellings.listSimilar();
  }

  get newNames(): NewNames {
    return { categories: this.#spellings.listNewCategories(), locations: this.#locations.names };
  }

  /** @throws UnusableFile if the file has no column to match by */
  addRow(row: SourceRow): void {
    this.#matching.addRow(row);
    this.#locations.addRow(row);
    if (row.problems.length === 0) this.#spellings.addRow(row);
  }

  /** Reads all pets of the service. @throws MenagerieError, NetworkError */
  async prepare(signal?: AbortSignal): Promise<void> {
    if (!this.#matching.needsPets && !this.#spellings.needsPets) return;
    const withKeys = this.match === 'externalId' ? ({ include: 'profile' } as const) : {};
    for await (const pet of this.#deps.client.exportPets.lines(withKeys, { signal })) {
      if (!('name' in pet)) continue;
      this.#matching.addPet(pet);
      this.#spellings.addPet(pet);
    }
  }

  tryRow(row: SourceRow): RowResult {
    const planned = this.#plan(row);
    return 'entry' in planned ? storedRow(planned, planned.id) : planned;
  }

  /**
   * Stores the rows. An abort of the signal takes effect after the current batch.
   *
   * @throws MenagerieError, NetworkError after the results of the rows that were sent
   */
  async *run(rows: AsyncIterable<SourceRow>, signal?: AbortSignal): AsyncGenerator<RowResult, void, void> {
    this.#outage = undefined;
    let batch: (PlannedRow | RowResult)[] = [];
    let [characters, photos] = [0, 0];
    for await (const row of rows) {
      if (signal?.aborted) return;
      const planned = this.#plan(row);
      const { length } = 'entry' in planned ? writeJson(planned.entry) : '';
      const isFull = batch.length >= MAX_BATCH_ROWS || photos >= MAX_BATCH_PHOTOS;
      if (isFull || characters + length > MAX_BATCH_CHARACTERS) {
        yield* this.#store(batch);
        [batch, characters, photos] = [[], 0, 0];
        if (signal?.aborted) return;
      }
      batch.push(planned);
      characters += length;
      photos += 'photos' in planned ? planned.photos.length : 0;
    }
    yield* this.#store(batch);
  }

  #plan(row: SourceRow): PlannedRow | RowResult {
    const { number } = row;
    const matched = this.#matching.find(row);
    if (row.leftOut !== undefined) return skippedRow(number, row.leftOut, 'id' in matched ? matched.id : undefined);
    if ('isRepeated' in matched) return skippedRow(number, 'repeated');
    if ('problem' in matched) return failedRow(number, [...row.problems, matched.problem]);
    const { id } = matched;
    const { readable, problems } = this.#read(withPhotos(row, matched.morePhotos));
    if (readable === undefined) return failedRow(number, problems);
    if (id === undefined && !readable.fields.has('name')) return failedRow(number, [nameMissing()]);
    const isDraft = id === undefined && this.#isDraft(readable, problems);
    const { fields, value } = id === undefined ? asNew(readable, isDraft) : asChange(readable);
    const profile = profilePatchOf({ fields, value });
    const photos = this.#photosOf(value);
    // If pets are matched by name, IDs in the file may be those of other pets.
    const entry =
      id === undefined
        ? creation(value, { hasId: this.match === 'id', photos, profile })
        : patch(id, fields, value, { photos, profile });
    return { number, id, entry, photos, isDraft, problems };
  }

  /** A new pet is a draft if its facts are incomplete, or if the file does not say that it is listed. */
  #isDraft({ value: { isPublished } }: SourceRow, problems: readonly RowProblem[]): boolean {
    if (problems.length > 0 || isPublished === false) return true;
    return isPublished === undefined && !this.#deps.isPublishing;
  }

  /** The row with the cells that can be stored, and the problems of the others; undefined if it is not stored. */
  #read(row: SourceRow): { readable: SourceRow | undefined; problems: readonly RowProblem[] } {
    const { isStrict } = this.#deps;
    const { readable, problems } = readableRow(row, {
      ...this.#deps,
      required: ['id', 'name', ...this.match.split(',')],
    });
    const unusable = readable === undefined ? [] : this.#photoProblems(readable);
    if (readable === undefined || unusable.length === 0) return { readable, problems };
    if (isStrict) return { readable: undefined, problems: [...problems, ...unusable] };
    const missing = unusable.map(({ photo }) => photo?.name);
    const entries = (readable.value['photoUrls'] ?? []) as readonly string[];
    const value = { ...readable.value, photoUrls: entries.filter((entry) => !missing.includes(entry)) };
    // The photos of a stored pet are not replaced by fewer ones.
    const fields = new Set([...readable.fields].filter((field) => field !== 'photoUrls'));
    return { readable: { ...readable, fields, value }, problems: [...problems, ...unusable] };
  }

  #photoProblems({ value }: SourceRow): readonly RowProblem[] {
    const { photos } = this.#deps;
    return this.#photosOf(value).flatMap((entry) => {
      const unusable = photos?.problemOf(entry);
      return unusable === undefined ? [] : [photoProblem(entry, unusable)];
    });
  }

  #photosOf({ photoUrls }: SourceRow['value']): readonly string[] {
    const { photos } = this.#deps;
    return ((photoUrls ?? []) as readonly string[]).filter((entry) => photos?.has(entry));
  }

  /** Yields the results in the order of the rows. */
  async *#store(batch: readonly (PlannedRow | RowResult)[]): AsyncGenerator<RowResult> {
    const body = batch.flatMap((row) => ('entry' in row ? [row.entry] : []));
    let results: readonly BulkResult[] = [];
    let failure: unknown;
    try {
      if (body.length > 0) results = await this.#deps.client.changePets({ body }, { timeoutMs: BATCH_TIMEOUT_MS });
    } catch (error) {
      failure = error;
    }
    const responses = results.values();
    for (const row of batch) {
      if (!('entry' in row)) yield row;
      else if (failure === undefined) yield await this.#resultOf(row, responses.next().value);
      // The service refuses a request before its first line, or not at all.
      else yield stoppedRow(row, failure instanceof MenagerieError ? 'failed' : 'unknown', failure);
    }
    failure ??= this.#outage;
    if (failure !== undefined) throw failure;
  }

  async #resultOf(row: PlannedRow, result: BulkResult | undefined): Promise<RowResult> {
    const { number, id, photos, problems: ofCells } = row;
    if (result === undefined) return stoppedRow(row, 'unknown', undefined);
    if (!('id' in result)) return { row: number, outcome: 'failed', id, problems: refusalsOf(row, result) };
    const problems = [...ofCells];
    for (const entry of photos) {
      const unusable = await this.#upload(result.id, entry);
      if (unusable !== undefined) problems.push(photoProblem(entry, unusable));
    }
    return storedRow({ ...row, problems }, result.id);
  }

  /** Uploading the same photo again has no effect. */
  async #upload(petId: bigint, entry: string): Promise<PhotoUnusable | undefined> {
    if (this.#outage !== undefined) return notSent();
    try {
      const photo = (await this.#deps.photos?.read(entry)) ?? new Uint8Array();
      await this.#send(petId, photo);
      return undefined;
    } catch (error) {
      if (error instanceof PhotoUnusable) return error;
      // The rows of the batch are stored already, and must be reported.
      this.#outage = error;
      return notSent();
    }
  }

  /** @throws PhotoUnusable; MenagerieError, NetworkError if the service cannot take photos */
  async #send(petId: bigint, photo: Uint8Array<ArrayBuffer>): Promise<void> {
    const { client, shrink } = this.#deps;
    let file = photo;
    for (let refusals = 0; ;) {
      try {
        await client.uploadFile({ petId, body: { file } }, { timeoutMs: PHOTO_TIMEOUT_MS });
        return;
      } catch (error) {
        if (!(error instanceof MenagerieError) || error.status >= 500) throw error;
        if (error.status !== 413 || shrink === undefined || refusals === MAX_SHRINKS) throw refused(error, photo);
        file = await shrink(photo, ++refusals).catch((failure: unknown) => {
          throw failure instanceof Failure ? unshrinkable(error, failure) : failure;
        });
      }
    }
  }
}

function storedRow({ number, id, isDraft, problems }: PlannedRow, storedId: bigint | undefined): RowResult {
  const stored = id === undefined ? 'created' : 'updated';
  return {
    row: number,
    outcome: problems.length === 0 ? stored : 'incomplete',
    id: storedId,
    problems,
    ...(isDraft && { isDraft }),
  };
}

/** Programs write a row for each further photo of a pet. */
function withPhotos(row: SourceRow, more: readonly unknown[]): SourceRow {
  if (more.length === 0) return row;
  const { photoUrls } = row.value;
  const all = new Set([...(Array.isArray(photoUrls) ? (photoUrls as readonly unknown[]) : []), ...more]);
  return { ...row, fields: new Set([...row.fields, 'photoUrls']), value: { ...row.value, photoUrls: [...all] } };
}

function asChange({ fields, onlyNew, ...row }: SourceRow): SourceRow {
  const isSet = (field: string) => field !== 'isPublished' || row.value[field] !== undefined;
  return { ...row, fields: new Set([...fields].filter((field) => onlyNew?.has(field) !== true && isSet(field))) };
}

function asNew({ fields, value, ...row }: SourceRow, isDraft: boolean): SourceRow {
  if (!isDraft) return { fields, value, ...row };
  return { ...row, fields: new Set([...fields, 'isPublished']), value: { ...value, isPublished: false } };
}

function photoProblem(name: string, { fault, message }: PhotoUnusable): RowProblem {
  return {
    kind: 'photo',
    column: 'photoUrls',
    message: `has ${name}, which ${message}`,
    photo: { name, fault, reason: message },
  };
}

const REFUSALS: Readonly<Record<number, PhotoFault>> = { 413: 'too-large', 415: 'unsupported' };

function refused({ status, message }: MenagerieError, file: Uint8Array): PhotoUnusable {
  const fault = REFUSALS[status] ?? 'refused';
  return new PhotoUnusable(fault === 'unsupported' && isHeic(file) ? 'heic' : fault, `was refused: ${message}`);
}

function unshrinkable({ message }: MenagerieError, failure: Failure): PhotoUnusable {
  const reason = `was refused: ${message} It cannot be made smaller: ${failure.message}`;
  return new PhotoUnusable('too-large', reason);
}

/** The main brand of the file is that of a HEIC photo (ISO/IEC 23008-12, annex B). */
function isHeic(file: Uint8Array): boolean {
  return /^ftyphe[iv]/.test(String.fromCharCode(...file.subarray(4, 12)));
}

function notSent(): PhotoUnusable {
  return new PhotoUnusable('not-sent', 'was not uploaded');
}

/** The row was sent, but the service did not say what it did with it. */
function stoppedRow({ number, id }: PlannedRow, outcome: Outcome, failure: unknown): RowResult {
  const message = failure instanceof Error ? failure.message : 'The service has not confirmed the row.';
  return { row: number, outcome, id, problems: [{ kind: 'stopped', message }] };
}

function refusalsOf(
  { entry }: PlannedRow,
  { message, errors = [] }: Extract<BulkResult, { message: string }>,
): readonly RowProblem[] {
  if (errors.length === 0) return [{ kind: 'refused', message }];
  return invalidFields(errors, (path) => petColumnOf(path.replace(/^\/(?:pet|patch|profile)/, '')), { ...entry });
}

function nameMissing(): RowProblem {
  return { kind: 'column-missing', column: 'name', message: 'is missing, and no pet with this ID exists' };
}
