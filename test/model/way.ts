import type { HttpResponse } from '../support/client.ts';
import type { Model } from './model.ts';
import { WORDS, type Who } from './steps.ts';
import { wordsFor, type Visible } from './views.ts';

export interface Reader {
  who: Who;
  isStaff: boolean;
  read: (path: string) => Promise<HttpResponse>;
}

/** Returns how a way out differs from the model. */
export type Check = (way: WayOut) => Promise<string | undefined>;

/** The ways out as one actor reads them. */
export class WayOut {
  readonly isStaff: boolean;
  readonly pets: readonly Visible[];
  readonly published: readonly Visible[];
  readonly model: Model;
  readonly #words: ReturnType<typeof wordsFor>;
  /** Pages have the name of those who read them. */
  readonly #ownName: string | undefined;
  readonly #read: Reader['read'];

  constructor(model: Model, { who, isStaff, read }: Reader) {
    this.model = model;
    this.isStaff = isStaff;
    this.pets = model.visible(isStaff);
    this.published = model.visible(false);
    this.#words = wordsFor(model, isStaff, WORDS);
    this.#ownName = model.accounts.activeOf(who)?.user.name;
    this.#read = read;
  }

  /** Also checks that the response has no word that the actor may not read. */
  async read(path: string, time: 'now' | 'past' = 'now'): Promise<HttpResponse> {
    const response = await this.#read(path);
    const secret = this.#secretIn(response.text, path, time);
    if (response.status >= 500 || secret !== undefined)
      throw new Error(`${path} has ${secret ?? 'a bug'}: ${response.status} ${response.text}`);
    return response;
  }

  #secretIn(text: string, path: string, time: 'now' | 'past'): string | undefined {
    const found = text.toLowerCase().match(WORDS) ?? [];
    return found.find((word) => !this.#words[time].has(word) && word !== this.#ownName && !path.includes(word));
  }
}

export function differs(path: string, found: unknown, expected: unknown): string | undefined {
  const [is, must] = [JSON.stringify(found), JSON.stringify(expected)];
  return is === must ? undefined : `${path}\n  expected ${must}\n  found    ${is}`;
}
