import { fileURLToPath } from 'node:url';
import { Failure } from '../../domain/failure.ts';
import { withGermanNames } from '../../domain/search/german-synonyms.ts';
import { readSynonyms, type Synonyms } from '../../domain/search/synonyms.ts';
import { explainFileError, readText } from '../configuration/config-file.ts';
import { labelOf } from '../configuration/settings.ts';

/** The shipped synonyms, in English and German. */
const SHIPPED_FILE = fileURLToPath(new URL('../../../assets/synonyms.json', import.meta.url));

/**
 * Reads the list of synonyms, and adds the names of breeds, categories and tags in the other language.
 *
 * @param path an own list instead of the shipped one
 * @throws Failure `invalid-input` with a message for the operator
 */
export function readSynonymsFile(path = SHIPPED_FILE): Synonyms {
  try {
    return withGermanNames(readSynonyms(readText(path)));
  } catch (error) {
    const reason =
      error instanceof Failure ? error.message : `The file ${path} cannot be read: ${explainFileError(error)}.`;
    throw new Failure('invalid-input', `${labelOf('synonyms')}: ${reason}`);
  }
}
