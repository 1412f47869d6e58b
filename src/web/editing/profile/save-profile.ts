import type { QueryClient } from '@tanstack/react-query';
import { MenagerieError } from '../../../client/failures.ts';
import { client } from '../../service/client.ts';
import { changedNames, inputsOf, patchOf, type InputName, type Inputs, type OwnField } from './profile-inputs.ts';
import { mergeInputs } from './profile-merge.ts';
import { profileQuery, type ReadInputs } from './profile-queries.ts';

interface SaveDeps {
  queries: QueryClient;
  /** In digits. */
  petId: string;
  ownFields: readonly OwnField[];
}

const PRECONDITION_FAILED = 412;

/** The profile has other values of the same fields. */
export class OverlapError extends Error {
  readonly conflict: { newer: ReadInputs; names: readonly InputName[] };

  constructor(newer: ReadInputs, names: readonly InputName[]) {
    super('The profile has changed.');
    this.conflict = { newer, names };
  }
}

/**
 * Sends the changed fields, on the condition that the profile is still the base. If only other fields have changed,
 * both changes are stored.
 *
 * @throws OverlapError, MenagerieError, NetworkError
 */
export async function saveProfile(deps: SaveDeps, base: ReadInputs, mine: Inputs): Promise<void> {
  const { queries, petId } = deps;
  const query = profileQuery(petId);
  const saved = await send(deps, base, mine).catch(async (error: unknown) => {
    if (!(error instanceof MenagerieError) || error.status !== PRECONDITION_FAILED) throw error;
    const newer = await queries.fetchQuery({ ...query, staleTime: 0 });
    const merged = mergeInputs(base.inputs, mine, newer.inputs);
    if (merged.overlapping.length > 0) throw new OverlapError(newer, merged.overlapping);
    return send(deps, newer, merged.mine);
  });
  queries.setQueryData(query.queryKey, saved);
}

/**
 * Changes fields of a profile that was read with a list, unless another user has changed them since. Lists have no
 * entity tags of profiles, so the profile is read first.
 *
 * @param shown the fields as the list has them
 * @throws OverlapError, MenagerieError, NetworkError
 */
export async function saveListed(queries: QueryClient, petId: string, shown: Inputs, changes: Inputs): Promise<void> {
  const newest = await queries.fetchQuery({ ...profileQuery(petId), staleTime: 0 });
  const { mine, overlapping } = mergeInputs(shown, { ...shown, ...changes }, newest.inputs);
  if (overlapping.length > 0) throw new OverlapError(newest, overlapping);
  await saveProfile({ queries, petId, ownFields: [] }, newest, mine);
}

async function send({ petId, ownFields }: SaveDeps, base: ReadInputs, mine: Inputs): Promise<ReadInputs> {
  if (changedNames(base.inputs, mine).length === 0) return base;
  const { value, etag } = await client.patchPetProfile.response(
    { petId: BigInt(petId), body: patchOf(base.inputs, mine, ownFields) },
    base.etag === undefined ? {} : { ifMatch: base.etag },
  );
  return { inputs: inputsOf(value ?? {}), etag };
}
