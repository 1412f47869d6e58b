import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownPhoto } from '../../src/domain/pets/photo.ts';
import type { PhotoIndex } from '../../src/domain/pets/ports.ts';
import { applyEach, applyFailing, applyOne, editPet, photo, putPet, removePet } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const [A, B, C] = [photo('a'), photo('b'), photo('c')];

/** A time after everything that the test did. */
const later = () => Date.now() + 60_000;

const CLAIM_MS = 1000;

/** So far has the time come that nobody has any picture in hand any more. */
let nowMs = 0;

async function doom(
  photoIndex: PhotoIndex,
  beforeMs = later(),
  strayDigests: string[] = [],
): Promise<readonly string[]> {
  nowMs += CLAIM_MS;
  return claim(photoIndex, nowMs, { beforeMs, strayDigests });
}

async function claim(
  photoIndex: PhotoIndex,
  atMs: number,
  { beforeMs = later(), strayDigests = [] as string[], most = 100 } = {},
): Promise<readonly string[]> {
  const change = { kind: 'doom', beforeMs, strayDigests, nowMs: atMs, claimMs: CLAIM_MS, most } as const;
  return (await applyOne(photoIndex, change)).toSorted();
}

export function describePhotoIndex(openStores: OpenStores): void {
  void describe('pictures in the index', () => {
    void it('are entered with the first pet that gets them, and found in the order of the digests', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      const stored = await applyEach(petStore, [
        putPet(),
        editPet(1n, { photo: A }),
        editPet(1n, { photo: B }),
        editPet(1n, { photo: A }),
      ]);
      assert.match(stored.at(-1)?.text ?? '', /"photoUrls":\["\\\/v2\/photo\/a{64}","\\\/v2\/photo\/b{64}"\]/);
      assert.deepEqual(await photoIndex.findMany([B.digest, C.digest, A.digest, B.digest]), [B, undefined, A, B]);
    });

    void it('are not entered when the pet is not there, or a precondition fails', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyFailing(petStore, editPet(1n, { photo: A }), 'not-found');
      await applyOne(petStore, putPet());
      await applyFailing(petStore, editPet(1n, { photo: A }, { ifMatch: [] }), 'precondition-failed');
      assert.deepEqual(await photoIndex.findMany([A.digest]), [undefined]);
    });

    void it('are at most a hundred with one pet; the one too many fails alone', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      const photoUrls = Array.from({ length: 99 }, (_, index) => `https://example.org/${index}`);
      await applyEach(petStore, [putPet({ photoUrls }), editPet(1n, { photo: A })]);
      await applyFailing(petStore, editPet(1n, { photo: B }), 'invalid-input');
      assert.deepEqual(await photoIndex.findMany([A.digest, B.digest]), [A, undefined]);
    });

    void it('are doomed only when no pet has referred to them since the time', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [
        putPet(),
        putPet(),
        editPet(1n, { photo: A }),
        editPet(2n, { photo: A }),
        editPet(2n, { photo: B }),
      ]);
      assert.deepEqual(await doom(photoIndex), []);
      await applyOne(petStore, removePet(1n));
      assert.deepEqual(await doom(photoIndex), []);
      const beforeRelease = Date.now() - 1;
      await applyOne(petStore, putPet({ photoUrls: [ownPhoto(B.digest)] }, 2n));
      assert.deepEqual(await doom(photoIndex, beforeRelease), []);
      assert.deepEqual(await doom(photoIndex), [A.digest]);
      assert.deepEqual(await photoIndex.findMany([A.digest, B.digest]), [undefined, B]);
    });

    void it('are kept when a pet refers to them again in time, by an upload or by their path', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [putPet(), editPet(1n, { photo: A }), editPet(1n, { photo: B }), putPet({}, 1n)]);
      await applyEach(petStore, [
        putPet({ photoUrls: [ownPhoto(A.digest)] }),
        putPet({}, 7n),
        editPet(7n, { photo: B }),
      ]);
      assert.deepEqual(await doom(photoIndex), []);
      assert.deepEqual(await photoIndex.findMany([A.digest, B.digest]), [A, B]);
    });

    void it('stay doomed until they are forgotten, and cannot be given to a pet meanwhile', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [putPet(), editPet(1n, { photo: A }), putPet({}, 1n)]);
      assert.deepEqual(await doom(photoIndex), [A.digest]);
      assert.deepEqual(
        await doom(photoIndex, 0),
        [A.digest],
        'an earlier mark is told again, so that a run cut off goes on',
      );
      const failure = await applyFailing(petStore, editPet(1n, { photo: A }), 'unavailable');
      assert.ok((failure.details.retryAfterSeconds ?? 0) > 0);
      assert.match((await petStore.findMany([1n]))[0]?.text ?? '', /"photoUrls":\[\]/);
      assert.deepEqual(await applyOne(photoIndex, { kind: 'forget', digests: [A.digest] }), []);
      await applyOne(petStore, editPet(1n, { photo: A }));
      assert.deepEqual(await photoIndex.findMany([A.digest]), [A]);
      assert.deepEqual(await doom(photoIndex), []);
    });

    void it('are told to one at a time, for as long as was asked for', async (t) => {
      const { photoIndex } = await openStores(t);
      const strayDigests = [A.digest, B.digest, C.digest];
      const first = await claim(photoIndex, 10_000, { strayDigests, most: 2 });
      assert.equal(first.length, 2);
      const second = await claim(photoIndex, 10_500, { strayDigests });
      assert.deepEqual([...first, ...second].toSorted(), strayDigests);
      assert.deepEqual(await claim(photoIndex, 10_999, { strayDigests }), []);
      assert.deepEqual(await claim(photoIndex, 11_000, { strayDigests }), first);
      await applyOne(photoIndex, { kind: 'forget', digests: first });
      assert.deepEqual(await claim(photoIndex, 99_000), second);
    });

    void it('are not forgotten unless doomed', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [putPet(), editPet(1n, { photo: A })]);
      await applyOne(photoIndex, { kind: 'forget', digests: [A.digest, B.digest] });
      assert.deepEqual(await photoIndex.findMany([A.digest]), [A]);
    });

    void it('without an entry are doomed as strays, those with one are not', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [putPet(), editPet(1n, { photo: A })]);
      assert.deepEqual(await doom(photoIndex, 1, [A.digest, C.digest]), [C.digest]);
      assert.deepEqual(await photoIndex.findMany([A.digest, C.digest]), [A, undefined]);
      await applyFailing(petStore, editPet(1n, { photo: C }), 'unavailable');
      await applyOne(photoIndex, { kind: 'forget', digests: [C.digest] });
      await applyOne(petStore, editPet(1n, { photo: C }));
      assert.deepEqual(await photoIndex.findMany([C.digest]), [C]);
    });

    void it('are entered by an upload to a pet that named their path before they were there', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [putPet({ photoUrls: [ownPhoto(A.digest)] }), editPet(1n, { photo: A })]);
      assert.deepEqual(await photoIndex.findMany([A.digest]), [A]);
    });

    void it('are not doomed while a pet refers to them that named their path before they were there', async (t) => {
      const { petStore, photoIndex } = await openStores(t);
      await applyEach(petStore, [
        putPet({ photoUrls: [ownPhoto(A.digest)] }),
        putPet(),
        editPet(2n, { photo: A }),
        removePet(2n),
      ]);
      assert.deepEqual(await doom(photoIndex), []);
    });
  });
}
