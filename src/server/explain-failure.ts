import { Failure, type FieldProblem } from '../domain/failure.ts';
import type { StorePlaces } from './config.ts';

/** What a person at the command line is told when something fails. A bug is told with all there is, for the report. */
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
 * A command that an operator can paste into a shell, for the data in these places. URLs are not repeated, because a password may be in one: the
 * environment has them.
 *
 * @param withPhotos whether the command needs the photo store too
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

/** As a shell takes it for one word (POSIX, section 2.2.2). */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
