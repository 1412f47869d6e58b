import { Failure } from '../../domain/failure.ts';
import type { UploadStaging } from '../../domain/pets/ports.ts';

/** Holds uploads in memory until they are checked: up to `maxBytes` for each concurrent request. */
export const stagingInMemory: UploadStaging = {
  async stage(chunks, maxBytes) {
    const held: Uint8Array[] = [];
    let byteLength = 0;
    for await (const chunk of chunks) {
      byteLength += chunk.byteLength;
      if (byteLength > maxBytes) throw new Failure('too-large', `A picture may have at most ${maxBytes} bytes.`);
      held.push(chunk);
    }
    return { source: joined(held, byteLength), byteLength, discard: () => Promise.resolve() };
  },
};

function joined(chunks: readonly Uint8Array[], byteLength: number): Uint8Array {
  const bytes = new Uint8Array(byteLength);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}
