import { Failure, type FieldProblem } from '../domain/failure.ts';

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
