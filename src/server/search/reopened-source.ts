import type { IndexSource } from '../../domain/search/index-source.ts';
import type { StorePlaces } from '../config.ts';
import { openIndexSource } from '../open-stores.ts';

/** Opens the database at the first read, and again after a failure to open it. */
export class ReopenedSource implements IndexSource {
  readonly #places: StorePlaces;
  #opened: ReturnType<typeof openIndexSource> | undefined;

  constructor(places: StorePlaces) {
    this.#places = places;
  }

  async lastChange() {
    return (await this.#source()).lastChange();
  }

  async listPets(...parameters: Parameters<IndexSource['listPets']>) {
    return (await this.#source()).listPets(...parameters);
  }

  async listChanges(...parameters: Parameters<IndexSource['listChanges']>) {
    return (await this.#source()).listChanges(...parameters);
  }

  async countPets() {
    return (await this.#source()).countPets();
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #source(): Promise<IndexSource> {
    this.#opened ??= openIndexSource(this.#places);
    try {
      return (await this.#opened).source;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}
