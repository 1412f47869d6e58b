import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { EditPet } from '../../src/domain/pets/pet-change.ts';
import type { PhotoChange, PhotoIndex } from '../../src/domain/pets/ports.ts';
import {
  STAMP,
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  editPet,
  findAll,
  photo,
  putPet,
  removePet,
} from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const [A, B, C] = [photo('a'), photo('b'), photo('c')];

/** A time after everything that the test did. */
const later = () => Date.now() + 60_000;

const CLAIM_MS = 1000;

/** So far has the time come that nobody has any picture in hand any more. */
let nowMs = 0;

async function doom(photos: PhotoIndex, beforeMs = later(), strayDigests: string[] = []): Promise<readonly string[]> {
  nowMs += CLAIM_MS;
  return claim(photos, nowMs, { beforeMs, strayDigests });
}

async function claim(
  photos: PhotoIndex,
  atMs: number,
  { beforeMs = later(), strayDigests = [] as string[], most = 100 } = {},
): Promise<readonly string[]> {
  const change = { kind: 'doom', beforeMs, strayDigests, nowMs: atMs, claimMs: CLAIM_MS, most } as const;
  return (await applyOne(photos, change)).toSorted();
}

/** The pictures of the last claim, or of another one. */
function settle(
  kind: 'forget' | 'release',
  digests: readonly string[],
  claimedUntilMs = nowMs + CLAIM_MS,
): Extract<PhotoChange, { kind: 'forget' | 'release' }> {
  return { kind, digests, claimedUntilMs };
}

/** An upload to a pet that is there. */
function uploadAt(atMs: number, id: bigint, picture = A): EditPet {
  return { ...editPet(id, { photo: picture }), stamp: { ...STAMP, atMs } };
}

/** So long a claim is, where the clearing asks for it. */
const LONGEST_CLAIM_MS = 600_000;

export function describePhotoIndex(openStores: OpenStores): void {
  void describe('pictures in the index', () => {
    void it('are entered with the first pet that gets them, and found in the order of the digests', async (t) => {
      const { pets, photos } = await openStores(t);
      const stored = await applyEach(pets, [
        putPet(),
        editPet(1n, { photo: A }),
        editPet(1n, { photo: B }),
        editPet(1n, { photo: A }),
      ]);
      assert.match(stored.at(-1)?.text ?? '', /"photoUrls":\["\\\/v2\/photo\/a{64}","\\\/v2\/photo\/b{64}"\]/);
      assert.deepEqual(await findAll(photos, [B.digest, C.digest, A.digest, B.digest]), [B, undefined, A, B]);
    });

    void it('are listed, some or all of them, but not those that are marked for removal', async (t) => {
      const { pets, photos } = await openStores(t);
      assert.deepEqual(await photos.listSome(10), []);
      await applyEach(pets, [putPet(), ...[A, B, C].map((picture) => editPet(1n, { photo: picture }))]);
      await applyOne(pets, putPet({ photoUrls: [ownPhoto(A.digest), ownPhoto(C.digest)] }, 1n));
      assert.deepEqual(await doom(photos), [B.digest]);
      assert.deepEqual(await photos.listSome(10), [A.digest, C.digest]);
      assert.equal((await photos.listSome(1)).length, 1);
    });

    void it('are not entered when the pet is not there, or a precondition fails', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyFailing(pets, editPet(1n, { photo: A }), 'not-found');
      await applyOne(pets, putPet());
      await applyFailing(pets, editPet(1n, { photo: A }, { ifMatch: [] }), 'precondition-failed');
      assert.deepEqual(await findAll(photos, [A.digest]), [undefined]);
    });

    void it('are at most a hundred with one pet; the one too many fails alone', async (t) => {
      const { pets, photos } = await openStores(t);
      const photoUrls = Array.from({ length: 99 }, (_, index) => `https://example.org/${index}`);
      await applyEach(pets, [putPet({ photoUrls }), editPet(1n, { photo: A })]);
      await applyFailing(pets, editPet(1n, { photo: B }), 'invalid-input');
      assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, undefined]);
    });

    void it('are doomed only when no pet has referred to them since the time', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [
        putPet(),
        putPet(),
        editPet(1n, { photo: A }),
        editPet(2n, { photo: A }),
        editPet(2n, { photo: B }),
      ]);
      assert.deepEqual(await doom(photos), []);
      await applyOne(pets, removePet(1n));
      assert.deepEqual(await doom(photos), []);
      const beforeRelease = Date.now() - 1;
      await applyOne(pets, putPet({ photoUrls: [ownPhoto(B.digest)] }, 2n));
      assert.deepEqual(await doom(photos, beforeRelease), []);
      assert.deepEqual(await doom(photos), [A.digest]);
      assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [undefined, B]);
    });

    void it('are kept when a pet refers to them again in time, by an upload or by their path', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [putPet(), editPet(1n, { photo: A }), editPet(1n, { photo: B }), putPet({}, 1n)]);
      await applyEach(pets, [putPet({ photoUrls: [ownPhoto(A.digest)] }), putPet({}, 7n), editPet(7n, { photo: B })]);
      assert.deepEqual(await doom(photos), []);
      assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, B]);
    });

    void it('stay doomed until they are forgotten, and cannot be given to a pet meanwhile', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [putPet(), editPet(1n, { photo: A }), putPet({}, 1n)]);
      assert.deepEqual(await doom(photos), [A.digest]);
      assert.deepEqual(
        await doom(photos, 0),
        [A.digest],
        'an earlier mark is told again, so that a run cut off goes on',
      );
      const failure = await applyFailing(pets, editPet(1n, { photo: A }), 'unavailable');
      assert.ok((failure.details.retryAfterSeconds ?? 0) > 0);
      assert.match((await findAll(pets, [1n]))[0]?.text ?? '', /"photoUrls":\[\]/);
      assert.deepEqual(await applyOne(photos, settle('forget', [A.digest])), []);
      await applyOne(pets, editPet(1n, { photo: A }));
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
      assert.deepEqual(await doom(photos), []);
    });

    void it('are told to one at a time, for as long as was asked for', async (t) => {
      const { photos } = await openStores(t);
      const strayDigests = [A.digest, B.digest, C.digest];
      const first = await claim(photos, 10_000, { strayDigests, most: 2 });
      assert.equal(first.length, 2);
      const second = await claim(photos, 10_500, { strayDigests });
      assert.deepEqual([...first, ...second].toSorted(), strayDigests);
      assert.deepEqual(await claim(photos, 10_999, { strayDigests }), []);
      assert.deepEqual(await claim(photos, 11_000, { strayDigests }), first);
      await applyOne(photos, settle('forget', first, 12_000));
      assert.deepEqual(await claim(photos, 99_000), second);
    });

    void it('are doomed so many at a time, and shown until then', async (t) => {
      const { pets, photos } = await openStores(t);
      const letters = ['a', 'b', 'c', 'd', 'e'];
      await applyOne(pets, putPet());
      for (const letter of letters) await applyOne(pets, editPet(1n, { photo: photo(letter) }));
      await applyOne(pets, removePet(1n));
      const digests = letters.map((letter) => photo(letter).digest);
      const told: string[] = [];
      for (const [most, left] of [
        [2, 3],
        [2, 1],
        [2, 0],
      ] as const) {
        told.push(...(await claim(photos, 10_000, { most })));
        const shown = await findAll(photos, digests);
        assert.equal(shown.filter((found) => found !== undefined).length, left);
      }
      assert.deepEqual(told.toSorted(), digests);
      assert.deepEqual(await claim(photos, 10_000), []);
    });

    void it('that are given back stay doomed, and are told to the next one at once', async (t) => {
      const { photos } = await openStores(t);
      const strayDigests = [A.digest, B.digest];
      assert.deepEqual(await claim(photos, 10_000, { strayDigests }), strayDigests);
      assert.deepEqual(await applyOne(photos, settle('release', [B.digest, C.digest], 11_000)), []);
      assert.deepEqual(await claim(photos, 10_001), [B.digest]);
      assert.deepEqual(await findAll(photos, strayDigests), [undefined, undefined]);
    });

    void it('are neither forgotten nor given back by a claim that is over, once another has begun', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyOne(pets, putPet());
      assert.deepEqual(await claim(photos, 10_000, { strayDigests: [A.digest] }), [A.digest]);
      assert.deepEqual(await claim(photos, 11_000), [A.digest]);
      await applyEach(photos, [settle('forget', [A.digest], 11_000), settle('release', [A.digest], 11_000)]);
      assert.deepEqual(await claim(photos, 11_500), []);
      await applyFailing(pets, uploadAt(11_500, 1n), 'unavailable');
      await applyEach(photos, [settle('release', [A.digest], 12_000), settle('forget', [A.digest], 12_000)]);
      assert.deepEqual(await claim(photos, 11_500), [A.digest]);
    });

    for (const { state, untilMs, atMs } of [
      { state: 'in hand no more', untilMs: 50_000, atMs: 50_000 },
      { state: 'given back', untilMs: undefined, atMs: 10_000 },
      {
        state: 'claimed by a clock that was far ahead',
        untilMs: 86_400_000,
        atMs: 86_400_000 - 2 * LONGEST_CLAIM_MS - 1,
      },
    ]) {
      void it(`are entered anew by an upload, although doomed, when they are ${state}`, async (t) => {
        const { pets, photos } = await openStores(t);
        await applyEach(pets, [putPet(), editPet(1n, { photo: B }), putPet({}, 1n)]);
        const claimedUntilMs = untilMs ?? 20_000;
        const told = await claim(photos, claimedUntilMs - CLAIM_MS, { strayDigests: [A.digest] });
        assert.deepEqual(told, [A.digest, B.digest]);
        const change = settle('release', told, claimedUntilMs);
        if (untilMs === undefined) await applyOne(photos, change);
        else await applyFailing(pets, uploadAt(untilMs - 1, 1n), 'unavailable');
        const another = { ...B, byteLength: 2000, width: 80, height: 60 };
        await applyEach(pets, [uploadAt(atMs, 1n), uploadAt(atMs, 1n, another)]);
        assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, another], 'also what was a mere stray');
        await applyEach(photos, [change, settle('forget', told, claimedUntilMs)]);
        assert.deepEqual(await claim(photos, atMs + 10 * LONGEST_CLAIM_MS), []);
        await applyOne(pets, putPet({}, 1n));
        assert.deepEqual(await claim(photos, atMs), told, 'nothing is left of the claim');
      });
    }

    void it('that a clock far ahead has claimed may be claimed by the next one', async (t) => {
      const { photos } = await openStores(t);
      assert.deepEqual(await claim(photos, 90_000, { strayDigests: [A.digest] }), [A.digest]);
      assert.deepEqual(await claim(photos, 91_000 - 2 * CLAIM_MS), []);
      assert.deepEqual(await claim(photos, 90_999 - 2 * CLAIM_MS), [A.digest]);
    });

    void it('cannot come to a pet by their path while they are doomed; a pet that names them may keep them', async (t) => {
      const { pets, photos } = await openStores(t);
      const named = { photoUrls: [ownPhoto(A.digest)] };
      await applyEach(pets, [
        putPet(),
        editPet(1n, { photo: A }),
        putPet({}, 1n),
        putPet({ photoUrls: [ownPhoto(C.digest)] }, 7n),
      ]);
      const told = await doom(photos, later(), [C.digest]);
      assert.deepEqual(told, [A.digest, C.digest]);
      // In hand or not: its file may be half gone.
      for (const change of [undefined, settle('release', told)]) {
        if (change !== undefined) await applyOne(photos, change);
        const outcomes = await applyAll(pets, [
          putPet(named),
          putPet(named, 1n),
          putPet({ ...named, name: 'Max' }, 7n),
          putPet({ name: 'Max' }, 1n),
          putPet(named, 1n, { precondition: { ifMatch: [] } }),
          putPet({ name: `Max ${change?.kind}`, photoUrls: [ownPhoto(C.digest), ownPhoto(C.digest)] }, 7n),
        ]);
        const [first] = outcomes;
        assert.deepEqual(codesOf(outcomes), [
          'unavailable',
          'unavailable',
          'unavailable',
          'ok',
          'precondition-failed',
          'ok',
        ]);
        assert.ok(first instanceof Failure && (first.details.retryAfterSeconds ?? 0) > 0);
      }
      const texts = (await findAll(pets, [1n, 7n])).map((pet) => pet?.text ?? '');
      assert.match(texts[0] ?? '', /"photoUrls":\[\]/);
      assert.ok(texts[1]?.includes(C.digest) && !texts[1].includes(A.digest));
      // Given back, an upload makes it what can be named again, also within one batch.
      await applyEach(pets, [uploadAt(1000, 1n), putPet(named, 7n), putPet(named)]);
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
      await applyEach(pets, [putPet({}, 1n), putPet({}, 7n)]);
      assert.deepEqual(await doom(photos), [C.digest]);
    });

    void it('are not forgotten unless doomed', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [putPet(), editPet(1n, { photo: A })]);
      await applyOne(photos, settle('forget', [A.digest, B.digest]));
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
    });

    void it('without an entry are doomed as strays, those with one are not', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [putPet(), editPet(1n, { photo: A })]);
      assert.deepEqual(await doom(photos, 1, [A.digest, C.digest]), [], 'its grace time begins now');
      const firstSeenMs = nowMs;
      assert.deepEqual(await doom(photos, firstSeenMs, [A.digest, C.digest]), []);
      assert.deepEqual(await doom(photos, firstSeenMs + 1, [C.digest]), [C.digest]);
      assert.deepEqual(await findAll(photos, [A.digest, C.digest]), [A, undefined]);
      await applyFailing(pets, editPet(1n, { photo: C }), 'unavailable');
      await applyOne(photos, settle('forget', [C.digest]));
      await applyOne(pets, editPet(1n, { photo: C }));
      assert.deepEqual(await findAll(photos, [C.digest]), [C]);
    });

    void it('are entered by an upload to a pet that named their path before they were there', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [putPet({ photoUrls: [ownPhoto(A.digest)] }), editPet(1n, { photo: A })]);
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
    });

    void it('are not doomed while a pet refers to them that named their path before they were there', async (t) => {
      const { pets, photos } = await openStores(t);
      await applyEach(pets, [
        putPet({ photoUrls: [ownPhoto(A.digest)] }),
        putPet(),
        editPet(2n, { photo: A }),
        removePet(2n),
      ]);
      assert.deepEqual(await doom(photos), []);
    });
  });
}
