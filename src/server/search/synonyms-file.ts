import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import { readSynonyms, type Synonyms } from '../../domain/search/synonyms.ts';
import { labelOf } from '../settings.ts';

/** In English and German. */
const SHIPPED_FILE = join(import.meta.dirname, '../../../assets/synonyms.json');

/**
 * Reads the list of synonyms.
 *
 * @param path an own list instead of the shipped one
 * @throws Failure `invalid-input` with a message for the operator
 */
export async function readSynonymsFile(path: string | undefined): Promise<Synonyms> {
  try {
    return readSynonyms(await readFile(path ?? SHIPPED_FILE, 'utf8'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof Failure ? message : `The list of synonyms cannot be read: ${message}.`;
    throw new Failure('invalid-input', `${labelOf('synonyms')}: ${reason}`);
  }
}
