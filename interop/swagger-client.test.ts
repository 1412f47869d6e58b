import { describe, it } from 'node:test';
import { roundTrip, type PetstoreClient } from './round-trip.ts';
import { PICTURE, startForOthers } from './service.ts';
import { openSwaggerClient } from './swagger-client.ts';

void describe('swagger-client', () => {
  for (const name of ['swagger.json', 'openapi.json']) {
    void it(`does all sixteen operations by ${name}`, async (t) => {
      const { base } = await startForOthers(t);
      const client: PetstoreClient = await openSwaggerClient({ url: `${base}/${name}` });
      await roundTrip(client, PICTURE);
    });
  }
});
