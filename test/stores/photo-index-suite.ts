import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { EditPet } from '../../src/domain/pets/pet-change.ts';
import type { PhotoChange, PhotoIndex } from '../../src/domain/photos/ports.ts';
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
import { testsOn, type OpenStores } from './open-stores.ts';

const [A, B, C] = [photo('a'), photo('b'), photo('c')];

/** Later than everything in the test. */
const later = () => Date.now() + 60_000;

const CLAIM_MS = 1000;

/** A time at which every claim has expired. */
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

/** The photos of the last claim, or of another one. */
function settle(
  kind: 'forget' | 'release',
  digests: readonly string[],
  claimedUntilMs = nowMs + CLAIM_MS,
): Extract<PhotoChange, { kind: 'forget' | 'release' }> {
  return { kind, digests, claimedUntilMs };
}

/** An upload to an existing pet. */
function uploadAt(atMs: number, id: bigint, prepared = A): EditPet {
  return { ...editPet(id, { photo: prepared }), stamp: { ...STAMP, atMs } };
}

/** The duration of a claim. */
const LONGEST_CLAIM_MS = 600_000;

export function describePhotoIndex(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('photo index', () => {
    test('knows the photos that published pets have', async ({ pets, photos }) => {
      const [a, b] = [photo('a'), photo('b')];
      const draft = { replacedBy: { isPublished: false } };
      await applyEach(pets, [
        putPet({}, 1n),
        putPet({}, 2n),
        editPet(1n, { photo: a }),
        editPet(1n, { photo: b }),
        editPet(2n, { photo: b }),
        editPet(1n, { profile: draft }),
      ]);
      const arePublic = () => Promise.all([a, b, photo('c')].map(async ({ digest }) => photos.isPublic(digest)));
      assert.deepEqual(await arePublic(), [false, true, false]);
      await applyOne(pets, editPet(2n, { profile: draft }));
      assert.deepEqual(await arePublic(), [false, false, false]);
      await applyEach(pets, [editPet(2n, { profile: { replacedBy: {} } }), removePet(2n)]);
      assert.deepEqual(await arePublic(), [false, false, false]);
    });

    test('enters a photo with its first pet, and finds photos in the order of the digests', async ({
      pets,
      photos,
    }) => {
      const stored = await applyEach(pets, [
        putPet(),
        editPet(1n, { photo: A }),
        editPet(1n, { photo: B }),
        editPet(1n, { photo: A }),
      ]);
      assert.match(stored.at(-1)?.text ?? '', /"photoUrls":\["\\\/v2\/photo\/a{64}","\\\/v2\/photo\/b{64}"\]/);
      assert.deepEqual(await findAll(photos, [B.digest, C.digest, A.digest, B.digest]), [B, undefined, A, B]);
    });

    test('lists photos, some or all, except those being deleted', async ({ pets, photos }) => {
      assert.deepEqual(await photos.listSome(10), []);
      await applyEach(pets, [putPet(), ...[A, B, C].map((prepared) => editPet(1n, { photo: prepared }))]);
      await applyOne(pets, putPet({ photoUrls: [ownPhoto(A.digest), ownPhoto(C.digest)] }, 1n));
      assert.deepEqual(await doom(photos), [B.digest]);
      assert.deepEqual(await photos.listSome(10), [A.digest, C.digest]);
      assert.equal((await photos.listSome(1)).length, 1);
    });

    test('enters nothing if the pet is unknown or a precondition fails', async ({ pets, photos }) => {
      await applyFailing(pets, editPet(1n, { photo: A }), 'not-found');
      await applyOne(pets, putPet());
      await applyFailing(pets, editPet(1n, { photo: A }, { ifMatch: [] }), 'precondition-failed');
      assert.deepEqual(await findAll(photos, [A.digest]), [undefined]);
    });

    test('allows a hundred photos per pet; only the change that exceeds it fails', async ({ pets, photos }) => {
      const photoUrls = Array.from({ length: 99 }, (_, index) => `https://example.org/${index}`);
      await applyEach(pets, [putPet({ photoUrls }), editPet(1n, { photo: A })]);
      await applyFailing(pets, editPet(1n, { photo: B }), 'invalid-input');
      assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, undefined]);
    });

    test('claims photos only if no pet referenced them since the given time', async ({ pets, photos }) => {
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

    test('keeps photos that a pet references again in time, by an upload or a URL', async ({ pets, photos }) => {
      await applyEach(pets, [putPet(), editPet(1n, { photo: A }), editPet(1n, { photo: B }), putPet({}, 1n)]);
      await applyEach(pets, [putPet({ photoUrls: [ownPhoto(A.digest)] }), putPet({}, 7n), editPet(7n, { photo: B })]);
      assert.deepEqual(await doom(photos), []);
      assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, B]);
    });

    test('keeps claimed photos marked until their deletion is settled, unavailable to pets', async ({
      pets,
      photos,
    }) => {
      await applyEach(pets, [putPet(), editPet(1n, { photo: A }), putPet({}, 1n)]);
      assert.deepEqual(await doom(photos), [A.digest]);
      assert.deepEqual(
        await doom(photos, 0),
        [A.digest],
        'marked photos are claimed again, so that an interrupted run continues',
      );
      const failure = await applyFailing(pets, editPet(1n, { photo: A }), 'unavailable');
      assert.ok((failure.details.retryAfterSeconds ?? 0) > 0);
      assert.match((await findAll(pets, [1n]))[0]?.text ?? '', /"photoUrls":\[\]/);
      assert.deepEqual(await applyOne(photos, settle('forget', [A.digest])), []);
      await applyOne(pets, editPet(1n, { photo: A }));
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
      assert.deepEqual(await doom(photos), []);
    });

    test('gives a photo to one claim at a time, for its duration', async ({ photos }) => {
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

    test('claims the given number at a time; the others stay visible', async ({ pets, photos }) => {
      const letters = ['a', 'b', 'c', 'd', 'e'];
      await applyOne(pets, putPet());
      for (const letter of letters) await applyOne(pets, editPet(1n, { photo: photo(letter) }));
      await applyOne(pets, removePet(1n));
      const digests = letters.map((letter) => photo(letter).digest);
      const claimed: string[] = [];
      for (const [most, left] of [
        [2, 3],
        [2, 1],
        [2, 0],
      ] as const) {
        claimed.push(...(await claim(photos, 10_000, { most })));
        const shown = await findAll(photos, digests);
        assert.equal(shown.filter((found) => found !== undefined).length, left);
      }
      assert.deepEqual(claimed.toSorted(), digests);
      assert.deepEqual(await claim(photos, 10_000), []);
    });

    test('released photos stay marked, and go to the next claim immediately', async ({ photos }) => {
      const strayDigests = [A.digest, B.digest];
      assert.deepEqual(await claim(photos, 10_000, { strayDigests }), strayDigests);
      assert.deepEqual(await applyOne(photos, settle('release', [B.digest, C.digest], 11_000)), []);
      assert.deepEqual(await claim(photos, 10_001), [B.digest]);
      assert.deepEqual(await findAll(photos, strayDigests), [undefined, undefined]);
    });

    test('an expired claim can neither settle nor release after another began', async ({ pets, photos }) => {
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
      { state: 'no longer claimed', untilMs: 50_000, atMs: 50_000 },
      { state: 'released', untilMs: undefined, atMs: 10_000 },
      {
        state: 'claimed by a clock that was far ahead',
        untilMs: 86_400_000,
        atMs: 86_400_000 - 2 * LONGEST_CLAIM_MS - 1,
      },
    ]) {
      test(`enters marked photos again by an upload, when they are ${state}`, async ({ pets, photos }) => {
        await applyEach(pets, [putPet(), editPet(1n, { photo: B }), putPet({}, 1n)]);
        const claimedUntilMs = untilMs ?? 20_000;
        const claimed = await claim(photos, claimedUntilMs - CLAIM_MS, { strayDigests: [A.digest] });
        assert.deepEqual(claimed, [A.digest, B.digest]);
        const change = settle('release', claimed, claimedUntilMs);
        if (untilMs === undefined) await applyOne(photos, change);
        else await applyFailing(pets, uploadAt(untilMs - 1, 1n), 'unavailable');
        const another = { ...B, byteLength: 2000, width: 80, height: 60 };
        await applyEach(pets, [uploadAt(atMs, 1n), uploadAt(atMs, 1n, another)]);
        assert.deepEqual(await findAll(photos, [A.digest, B.digest]), [A, another], 'including the stray file');
        await applyEach(photos, [change, settle('forget', claimed, claimedUntilMs)]);
        assert.deepEqual(await claim(photos, atMs + 10 * LONGEST_CLAIM_MS), []);
        await applyOne(pets, putPet({}, 1n));
        assert.deepEqual(await claim(photos, atMs), claimed, 'the earlier claim must have no effect');
      });
    }

    test('photos claimed by a clock far ahead may be claimed by the next run', async ({ photos }) => {
      assert.deepEqual(await claim(photos, 90_000, { strayDigests: [A.digest] }), [A.digest]);
      assert.deepEqual(await claim(photos, 91_000 - 2 * CLAIM_MS), []);
      assert.deepEqual(await claim(photos, 90_999 - 2 * CLAIM_MS), [A.digest]);
    });

    test('a marked photo cannot be added by its URL, but pets that reference it keep it', async ({ pets, photos }) => {
      const named = { photoUrls: [ownPhoto(A.digest)] };
      await applyEach(pets, [
        putPet(),
        editPet(1n, { photo: A }),
        putPet({}, 1n),
        putPet({ photoUrls: [ownPhoto(C.digest)] }, 7n),
      ]);
      const claimed = await doom(photos, later(), [C.digest]);
      assert.deepEqual(claimed, [A.digest, C.digest]);
      // Claimed or not, its files may be partly deleted.
      for (const change of [undefined, settle('release', claimed)]) {
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
      // After a release, an upload makes it available by URL again, also within one batch.
      await applyEach(pets, [uploadAt(1000, 1n), putPet(named, 7n), putPet(named)]);
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
      await applyEach(pets, [putPet({}, 1n), putPet({}, 7n)]);
      assert.deepEqual(await doom(photos), [C.digest]);
    });

    test('settles only marked photos', async ({ pets, photos }) => {
      await applyEach(pets, [putPet(), editPet(1n, { photo: A })]);
      await applyOne(photos, settle('forget', [A.digest, B.digest]));
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
    });

    test('claims files without an entry as strays, but not those with one', async ({ pets, photos }) => {
      await applyEach(pets, [putPet(), editPet(1n, { photo: A })]);
      assert.deepEqual(await doom(photos, 1, [A.digest, C.digest]), [], 'its grace time starts now');
      const firstSeenMs = nowMs;
      assert.deepEqual(await doom(photos, firstSeenMs, [A.digest, C.digest]), []);
      assert.deepEqual(await doom(photos, firstSeenMs + 1, [C.digest]), [C.digest]);
      assert.deepEqual(await findAll(photos, [A.digest, C.digest]), [A, undefined]);
      await applyFailing(pets, editPet(1n, { photo: C }), 'unavailable');
      await applyOne(photos, settle('forget', [C.digest]));
      await applyOne(pets, editPet(1n, { photo: C }));
      assert.deepEqual(await findAll(photos, [C.digest]), [C]);
    });

    test('enters a photo uploaded to a pet that already referenced its URL', async ({ pets, photos }) => {
      await applyEach(pets, [putPet({ photoUrls: [ownPhoto(A.digest)] }), editPet(1n, { photo: A })]);
      assert.deepEqual(await findAll(photos, [A.digest]), [A]);
    });

    test('keeps a photo that a pet referenced by URL before it existed', async ({ pets, photos }) => {
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
