import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startPrism } from './prism.ts';
import { roundTrip } from './round-trip.ts';
import { startForOthers } from './service.ts';
import { openSwaggerClient } from './swagger-client.ts';

/**
 * Prism reads multipart bodies as text and writes them anew: of a picture, only one that is ASCII survives that. This
 * GIF has one black pixel.
 */
const ASCII_PICTURE = new Uint8Array(
  Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1'),
);

void describe('Prism, between a client and the service', () => {
  for (const name of ['swagger.json', 'openapi.json'] as const) {
    void it(`finds no request and no response that is not as ${name} says`, async (t) => {
      const { base } = await startForOthers(t);
      const document = (await (await fetch(`${base}/${name}`)).json()) as { paths: object };
      const prism = await startPrism(t, document, base);
      const spec = { ...document, ...serverAt(prism.origin, name) };
      await roundTrip(await openSwaggerClient({ spec }), ASCII_PICTURE);
      assert.deepEqual(prism.violations(), []);
      // That it would find something: a parameter that has to be there is not, and a body that is no pet.
      await fetch(`${prism.origin}/pet/findByStatus`);
      assert.ok(prism.violations().length > 0, 'Prism looks');
    });
  }
});

/** Where clients are to send their requests instead. */
function serverAt(origin: string, name: 'swagger.json' | 'openapi.json'): object {
  return name === 'swagger.json' ? { host: new URL(origin).host, basePath: '/' } : { servers: [{ url: origin }] };
}
