import { createStrictCheck } from '../../../api/check.ts';
import { readRecord } from '../api/tool-schemas.ts';
import { HISTORY_PAGE, SEARCH_PAGE, TOOLS, type ToolInput, type ToolName } from '../api/tools.ts';
import type { Query } from '../../../api/queries/query-values.ts';
import { altOfUpload, readId } from '../../../api/read-bodies.ts';
import { readPet, readPetPatch } from '../../../api/read-pet.ts';
import { HistoryEntry } from '../../../api/records/pet-version.ts';
import { Pet } from '../../../api/records/pet.ts';
import { Profile } from '../../../api/records/profile.ts';
import { Statistics, FoundPets } from '../../../api/records/search.ts';
import type { Actor } from '../../../domain/access.ts';
import { Failure, invalidInput, type FieldProblem } from '../../../domain/failure.ts';
import type { PetCatalogue } from '../../../domain/pets/pet-catalogue.ts';
import type { PetHistory } from '../../../domain/pets/pet-history.ts';
import type { PetPhotos } from '../../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../../domain/pets/pet-profiles.ts';
import { withPhotoOrigin, type StoredPet } from '../../../domain/pets/pet.ts';
import type { UploadStaging } from '../../../domain/photos/ports.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import { PhotoUnusable, type PhotoSource } from '../../../transfer/photo-source.ts';
import { readHistoryPage } from '../../../http/pets/history-routes.ts';
import type { SearchResponses } from '../../../http/pets/search-responses.ts';
import { NetworkTurns, type TurnClient, type WaitingLimits } from '../../../http/pipeline/network-turns.ts';

interface AgentToolsDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  history: PetHistory;
  profiles: PetProfiles;
  searchResponses: SearchResponses;
  recordTurns: NetworkTurns;
  staging: UploadStaging;
  /** Downloads photos. */
  photoAddresses: Pick<PhotoSource, 'read'>;
  maxPhotoBytes: number;
}

export interface ToolCaller {
  actor: Actor;
  client: TurnClient;
  /** The URL at which the client reaches the service. */
  base: string;
}

type Structured = Readonly<Record<string, unknown>>;

/** Each download is in memory until it is stored. */
const MAX_DOWNLOADS = 4;
const WAITING_DOWNLOADS: WaitingLimits = { noun: 'downloads', perNetwork: 8, total: 64, maxMs: 30_000 };

type Run<Name extends ToolName> = (input: ToolInput<Name>, caller: ToolCaller) => Promise<Structured>;

/** The tools of agents. Each reads its input, and calls the same use case as the operation of the API. */
export class AgentTools {
  readonly #deps: AgentToolsDeps;
  readonly #downloads = new NetworkTurns({ maxConcurrent: MAX_DOWNLOADS, waiting: WAITING_DOWNLOADS });
  readonly #runs: ReadonlyMap<ToolName, (input: unknown, caller: ToolCaller) => Promise<Structured>>;

  constructor(deps: AgentToolsDeps) {
    this.#deps = deps;
    this.#runs = new Map([
      checked('search_pets', this.#searchPets),
      checked('get_pet', this.#getPet),
      checked('get_statistics', this.#getStatistics),
      checked('get_pet_history', this.#getPetHistory),
      checked('add_pet', this.#addPet),
      checked('update_pet', this.#updatePet),
      checked('delete_pet', this.#deletePet),
      checked('add_pet_photo', this.#addPetPhoto),
    ]);
  }

  /** @throws Failure as the use case, and `invalid-input` */
  async run(name: ToolName, input: unknown, caller: ToolCaller): Promise<Structured> {
    const run = this.#runs.get(name) as (input: unknown, caller: ToolCaller) => Promise<Structured>;
    return run(input, caller);
  }

  readonly #searchPets: Run<'search_pets'> = async ({ limit = SEARCH_PAGE.default, ...filters }, caller) => {
    const query: Query = { ...filters, limit: String(limit) };
    const { text } = await this.#deps.searchResponses.pets(caller.actor, query, caller.client, caller.base);
    return readRecord(FoundPets, text);
  };

  readonly #getPet: Run<'get_pet'> = async ({ id: sent }, { actor, base }) => {
    const { catalogue, profiles } = this.#deps;
    const id = requireId(sent);
    const pet = await catalogue.getPet(actor, id);
    const { text } = await profiles.getProfile(actor, id);
    return {
      ...changed(pet, base),
      ...(text !== '{}' && { profile: readRecord(Profile, text) }),
      page: `${base}/pets/${id}`,
    };
  };

  readonly #getStatistics: Run<'get_statistics'> = async (query, { actor, client }) =>
    readRecord(Statistics, await this.#deps.searchResponses.statistics(actor, query, client));

  readonly #getPetHistory: Run<'get_pet_history'> = async (input, { actor, client, base }) => {
    const { history, recordTurns } = this.#deps;
    const page = { beforeVersion: optionalId(input.before, '/before'), limit: input.limit ?? HISTORY_PAGE.default };
    const entries = history.listEntries(actor, requireId(input.id), page);
    const { texts, end } = await recordTurns.take(client, () => readHistoryPage(entries, base));
    return {
      entries: texts.map((text) => readRecord(HistoryEntry, text)),
      ...(end !== undefined && { next: String(end) }),
    };
  };

  readonly #addPet: Run<'add_pet'> = async (input, { actor, base }) =>
    changed(await this.#deps.catalogue.addPet(actor, undefined, readPet(withCategory(input)).pet), base);

  readonly #updatePet: Run<'update_pet'> = async ({ id: sent, ifVersion, ...fields }, { actor, base }) => {
    const id = requireId(sent);
    const edit = readPetPatch(withCategory(fields), id);
    return changed(await this.#deps.catalogue.editPet(actor, id, edit, preconditionOf(ifVersion)), base);
  };

  readonly #deletePet: Run<'delete_pet'> = async ({ id: sent, ifVersion }, { actor }) => {
    const id = requireId(sent);
    await this.#deps.catalogue.deletePet(actor, id, preconditionOf(ifVersion));
    return { id: String(id) };
  };

  readonly #addPetPhoto: Run<'add_pet_photo'> = async ({ id: sent, url, alt, ifVersion }, caller) => {
    const { catalogue, petPhotos, staging, maxPhotoBytes } = this.#deps;
    const { actor, client, base } = caller;
    const [id, precondition] = [requireId(sent), preconditionOf(ifVersion)];
    // Nothing is downloaded for a pet that does not exist.
    await catalogue.getPet(actor, id);
    const pet = await this.#downloads.take(client, async () => {
      const bytes = await this.#download(url);
      const file = await staging.stage(chunkOf(bytes), maxPhotoBytes);
      try {
        return await petPhotos.addPhoto(actor, id, { file, alt: altOfUpload(alt) }, precondition);
      } finally {
        await file.discard();
      }
    });
    return changed(pet, base);
  };

  /** @throws Failure `invalid-input` */
  async #download(url: string): Promise<Uint8Array> {
    try {
      return await this.#deps.photoAddresses.read(url);
    } catch (error) {
      if (error instanceof PhotoUnusable)
        throw new Failure('invalid-input', `The photo at this address ${error.message}.`);
      throw error;
    }
  }
}

/** A category may be a text, as tags may be. */
function withCategory<T extends { category?: unknown }>({ category, ...fields }: T) {
  if (category === undefined) return fields;
  const label = category as Exclude<T['category'], string | undefined>;
  return { ...fields, category: typeof category === 'string' ? { name: category } : label };
}

async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A tool whose input is checked against its schema. */
function checked<Name extends ToolName>(name: Name, run: Run<Name>) {
  const check = createStrictCheck(TOOLS[name].input);
  return [name, async (input: unknown, caller: ToolCaller) => run(check(input) as ToolInput<Name>, caller)] as const;
}

function changed(pet: StoredPet, base: string): Structured {
  return { pet: readRecord(Pet, withPhotoOrigin(pet.text, base)), version: String(pet.version) };
}

/** @throws Failure `invalid-input` */
function requireId(sent: number | string): bigint {
  return optionalId(sent, '/id') as bigint;
}

function optionalId(sent: number | string | undefined, path: string): bigint | undefined {
  const problems: FieldProblem[] = [];
  const id = readId(sent, path, problems);
  if (problems.length > 0) throw invalidInput(problems);
  return id;
}

function preconditionOf(ifVersion: number | string | undefined): Precondition | undefined {
  const version = optionalId(ifVersion, '/ifVersion');
  return version === undefined ? undefined : { ifMatch: [{ weak: false, value: String(version) }] };
}
