import { becauseOf, Failure } from '../../domain/failure.ts';

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

const RETRY_AFTER_SECONDS = 5;

/**
 * Makes a Failure of an error of the file system, which becomes its cause. Other errors are bugs, and pass unchanged.
 *
 * @throws Failure `insufficient-storage` where the disk is full, else `unavailable`
 */
export async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  if (NO_SPACE.has(String(error.code)))
    return becauseOf(
      `the disk is full (${error.message})`,
      new Failure('insufficient-storage', 'The disk is too full to store the picture. Try again later.'),
    );
  return becauseOf(
    error.message,
    new Failure('unavailable', 'Pictures cannot be stored or read at the moment. Try again in a few seconds.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
  );
}
