import type { Client } from '../client/client.ts';
import type { Site } from './profile-cells.ts';

/** @throws MenagerieError, NetworkError */
export async function readSite(client: Client): Promise<Site> {
  const [{ fields }, { locations = [] }] = await Promise.all([client.getOwnFields(), client.getOrganisation()]);
  return { ownFields: fields, locations };
}
