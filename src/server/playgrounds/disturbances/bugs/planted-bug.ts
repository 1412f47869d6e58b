import type { OperationId } from '../../../../api/endpoints.ts';
import type { Visit } from '../answers/visit.ts';

/** The answer of the playground, or what a bug makes of it. */
export interface Answer {
  status: number;
  body: string;
  /** By lower-case names. Undefined removes a header. */
  headers: Readonly<Record<string, string | undefined>>;
}

export interface PlantedBug {
  operations: readonly OperationId[];
  /** Whether it changes nothing in open access. */
  isForSecured?: true;
  /** Changes the request before it is handled. */
  before?: (visit: Visit) => void;
  /** @returns the changes, which count as met; undefined if the answer is right */
  after: (visit: Visit, answer: Answer) => Partial<Answer> | undefined;
}

/** The answer is already wrong, because the request was changed. */
export const UNCHANGED: Partial<Answer> = {};

export function isJson({ status, body, headers }: Answer): boolean {
  return status === 200 && body !== '' && headers['content-type'] === 'application/json';
}

/** Texts that a bug remembers, of the last few records. */
export class Remembered<T> {
  readonly #values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MAX_REMEMBERED && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}

const MAX_REMEMBERED = 100;

/** A longer text is not remembered. */
export const MAX_REMEMBERED_LENGTH = 16_384;
