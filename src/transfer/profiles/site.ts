import type { Client } from '../../client/client.ts';
import type { OwnField } from '../../domain/organisation/own-field.ts';

/* What the organisation defines of pets, and the locations that an import adds. */

export interface Site {
  ownFields: readonly OwnField[];
  locations: readonly { id: string; name: string }[];
  /** The code of the country of the organisation, if it is known. */
  country?: string | undefined;
}

/** @throws MenagerieError, NetworkError */
export async function readSite(client: Client): Promise<Site> {
  const [{ fields }, { locations = [], country }] = await Promise.all([
    client.getOwnFields(),
    client.getOrganisation(),
  ]);
  return { ownFields: fields, locations, country };
}

export const NO_SITE: Site = { ownFields: [], locations: [] };

/** Adds locations to those of the organisation. @throws MenagerieError if the user is no administrator */
export async function createLocations(client: Client, names: readonly string[]): Promise<void> {
  const { value: organisation = {}, etag } = await client.getOrganisation.response();
  const { locations = [] } = organisation;
  const body = { ...organisation, locations: [...locations, ...names.map((name) => ({ name }))] };
  await client.updateOrganisation({ body }, etag === undefined ? {} : { ifMatch: etag });
}
