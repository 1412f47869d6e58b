import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  coverDigestIn,
  isSold,
  LISTS_BEGIN,
  petText,
  readPetText,
  recordOf,
  SOLD_END,
  STATUS_END_LENGTH,
  textWithoutLists,
  withPhotoOrigin,
  type PetDetails,
} from '../../src/domain/pets/pet.ts';
import { asOwnPhoto, digestOfOwnPhoto, digestOfPhotoUrl, ownPhoto } from '../../src/domain/photos/photo.ts';
import { digest, int64, petDetails, trickyText } from '../support/arbitraries.ts';

const ORIGIN = 'https://pets.example.org/base';

const tailOf = ({ status }: PetDetails) => (status === undefined ? '}' : `,"status":"${status}"}`);

void describe('text of a pet', () => {
  void it('reads back as the same pet, for any pet', () => {
    fc.assert(
      fc.property(int64, petDetails, (id, details) => {
        const text = petText(id, recordOf(details));
        assert.deepEqual(readPetText(text), { id, ...details });
        assert.equal(petText(id, recordOf(readPetText(text))), text);
      }),
    );
  });

  void it('yields the first photo of the service, whatever else the text contains', () => {
    const looksLikeIt = `"photoUrls":["\\/v2/photo/${'a'.repeat(64)}`;
    const details = fc.oneof(
      petDetails,
      petDetails.map((pet) => ({ ...pet, name: looksLikeIt, tags: [{ name: looksLikeIt }] })),
      fc.tuple(petDetails, digest).map(([pet, first]) => ({ ...pet, photoUrls: [ownPhoto(first), ...pet.photoUrls] })),
    );
    fc.assert(
      fc.property(int64, details, (id, pet) => {
        const [first] = pet.photoUrls;
        const expected = first === undefined ? undefined : digestOfOwnPhoto(first);
        assert.equal(coverDigestIn(petText(id, recordOf(pet))), expected);
      }),
    );
    assert.equal(coverDigestIn(petText(1n, recordOf({ name: looksLikeIt, photoUrls: ['x'], tags: [] }))), undefined);
  });

  void it('splits into the pet without its lists and whether it is sold', () => {
    const looksLikeIt = `${LISTS_BEGIN}],"tags":[]${SOLD_END}`;
    const details = fc.oneof(
      petDetails,
      petDetails.map((pet) => ({ ...pet, name: looksLikeIt, tags: [{ name: looksLikeIt }] })),
    );
    fc.assert(
      fc.property(int64, details, (id, pet) => {
        const text = petText(id, recordOf(pet));
        const head = text.slice(0, text.indexOf(LISTS_BEGIN));
        const { photoUrls: _photoUrls, tags: _tags, ...rest } = JSON.parse(text) as Record<string, unknown>;
        const short = textWithoutLists(head, text.slice(-STATUS_END_LENGTH));
        assert.equal(short, `${head}${tailOf(pet)}`);
        assert.deepEqual(JSON.parse(short), rest);
        assert.equal(isSold(text), pet.status === 'sold');
      }),
    );
    assert.equal(isSold(null), false);
  });

  void it('is compact JSON with the id first and the fields in order', () => {
    fc.assert(
      fc.property(int64, petDetails, (id, details) => {
        const text = petText(id, recordOf(details));
        assert.ok(text.startsWith(`{"id":${id},`));
        const keys = Object.keys(JSON.parse(text) as object);
        const order = ['id', 'category', 'name', 'photoUrls', 'tags', 'status'];
        assert.deepEqual(
          keys,
          order.filter((key) => key === 'id' || key in details),
        );
      }),
    );
  });

  void it('gets the origin of the service before its own photos only', () => {
    fc.assert(
      fc.property(int64, petDetails, (id, details) => {
        const shown = withPhotoOrigin(petText(id, recordOf(details)), ORIGIN);
        const photoUrls = details.photoUrls.map((url) =>
          digestOfOwnPhoto(url) === undefined ? url : ORIGIN + url.slice('\0'.length),
        );
        assert.deepEqual(readPetText(shown), { id, ...details, photoUrls });
        assert.ok(!shown.includes('"\\/'));
      }),
    );
  });

  void it('gets the origin in every pet of a list', () => {
    fc.assert(
      fc.property(fc.array(petDetails, { maxLength: 4 }), (list) => {
        const texts = list.map((details, index) => petText(BigInt(index), recordOf(details)));
        assert.equal(
          withPhotoOrigin(`[${texts.join()}]`, ORIGIN),
          `[${texts.map((text) => withPhotoOrigin(text, ORIGIN)).join()}]`,
        );
      }),
    );
  });

  void it('takes an origin literally, dollar signs included', () => {
    const text = petText(1n, recordOf({ name: 'x', photoUrls: [ownPhoto('a'.repeat(64))], tags: [] }));
    assert.match(withPhotoOrigin(text, 'http://h/$&$1'), /"http:\/\/h\/\$&\$1\/v2\/photo\/a{64}"/);
  });

  void it('lists each tag name and each photo of the service once', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const record = recordOf({
      name: 'x',
      photoUrls: [
        ownPhoto(a),
        'https://example.org/v2/photo/' + b,
        `${ownPhoto(b)}/small`,
        ownPhoto(a),
        `/v2/photo/${'c'.repeat(64)}`,
      ],
      tags: [{ name: 'x' }, { id: 1n }, { name: 'x' }, { id: 2n, name: 'X' }, { name: '' }],
    });
    assert.deepEqual([record.tagNames, record.photoDigests, record.status], [['x', 'X', ''], [a, b], null]);
  });
});

void describe('photo URL', () => {
  void it('yields the digest on any host and under any prefix, and nothing else does', () => {
    fc.assert(
      fc.property(digest, trickyText, (known, text) => {
        const path = `/v2/photo/${known}`;
        assert.equal(digestOfOwnPhoto(ownPhoto(known)), known);
        assert.equal(digestOfOwnPhoto(`https://example.org${path}`), undefined);
        assert.equal(digestOfOwnPhoto(path), undefined);
        for (const address of [path, `${path}/small`, `https://example.org:8443/zoo${path}`]) {
          assert.equal(digestOfPhotoUrl(address), known);
          assert.equal(digestOfOwnPhoto(asOwnPhoto(address)), known);
          assert.ok(address.endsWith(asOwnPhoto(address).slice('\0'.length)));
        }
        assert.equal(digestOfPhotoUrl(`${path}/huge`), undefined);
        assert.equal(digestOfPhotoUrl(`${path}?a=b`), undefined);
        assert.equal(digestOfPhotoUrl(`/v2/photo/${known.toUpperCase().replace(/^./, 'A')}`), undefined);
        assert.equal(digestOfPhotoUrl(text), undefined);
      }),
    );
  });
});
