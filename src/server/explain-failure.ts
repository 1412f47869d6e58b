import { Failure, type FieldProblem } from '../domain/failure.ts';
import type { StorePlaces } from './config.ts';

/** Error message for the command line. A bug is reported with its stack. */
export function explainFailure(error: unknown): string {
  if (error instanceof Failure) {
    const { problems = [] } = error.details;
    return error.code === 'invalid-input' && problems.length > 0
      ? problems.map(explainProblem).join('\n')
      : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `/password` becomes `The password`. */
function explainProblem({ path, message }: FieldProblem): string {
  const field = path
    .replace(/^\//, '')
    .replace(/\/\d+$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return `The ${field} ${message}.`;
}

/**
 * A command that an operator can paste into a shell. URLs are left to the environment because they may contain a password.
 *
 * @param withPhotos whether the command also needs the photo store
 */
export function operatorCommand(
  command: string,
  { dataDir, database, bucket }: StorePlaces,
  { withPhotos = false } = {},
): string {
  const isFolderNeeded = database === undefined || (withPhotos && bucket === undefined);
  const folder = isFolderNeeded ? ` --data-dir ${shellWord(dataDir)}` : '';
  const variables = [
    ...(database === undefined ? [] : ['MENAGERIE_DATABASE_URL']),
    ...(withPhotos && bucket !== undefined ? ['MENAGERIE_PHOTOS_URL'] : []),
  ];
  const environment = variables.length > 0 ? `, with the same ${variables.join(' and ')}` : '';
  return `npx menagerie ${command}${folder}${environment}`;
}

/** Quotes a word for a shell (POSIX, section 2.2.2). */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
