import { getCallSites } from 'node:util';
import { fileURLToPath } from 'node:url';

/*
 * Node takes the caller of `it` for the place of a test. A helper that declares tests for others notes their places,
 * which the runner reports for their errors.
 */

export interface Place {
  file: string;
  line: number;
}

const places = new WeakMap<Error, Place>();

/** The place from which the caller of this function was called. */
export function placeOfCaller(): Place | undefined {
  const [, , site] = getCallSites(3);
  return site === undefined ? undefined : { file: fileURLToPath(site.scriptName), line: site.lineNumber };
}

/** @throws what the work throws, with the place */
export async function declaredAt<R>(place: Place | undefined, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && place !== undefined) places.set(error, place);
    throw error;
  }
}

export function declaredPlaceOf(error: unknown): Place | undefined {
  return error instanceof Error ? places.get(error) : undefined;
}
