import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, mergeVersions } from '../../src/web/editing/form-state/three-way-merge.ts';
import type { PetFields } from '../../src/web/editing/form-state/pet-fields.ts';

const BASE: PetFields = {
  name: 'Biscuit',
  category: { id: '1', name: 'Dogs' },
  tags: [{ name: 'small' }, { name: 'calm' }],
  status: 'available',
};

void test('three-way merge: changes of different fields are merged', () => {
  const versions = { base: BASE, mine: { ...BASE, name: 'Cookie' }, theirs: { ...BASE, status: 'sold' as const } };
  assert.deepEqual(compareVersions(versions), { onlyTheirs: ['status'], overlapping: [] });
  assert.deepEqual(mergeVersions(versions), { ...BASE, name: 'Cookie', status: 'sold' });
});

void test('three-way merge: equal changes are no conflict, even if one has no ID yet', () => {
  const mine = { ...BASE, name: 'Cookie', category: { name: 'Cats' } };
  const theirs = { ...BASE, name: 'Cookie', category: { id: '2', name: 'Cats' } };
  const versions = { base: BASE, mine, theirs };
  assert.deepEqual(compareVersions(versions), { onlyTheirs: [], overlapping: [] });
  assert.deepEqual(mergeVersions(versions), theirs);
});

void test('three-way merge: different changes of a field are a conflict that a choice resolves', () => {
  const mine: PetFields = { ...BASE, name: 'Cookie', status: null };
  const theirs: PetFields = { ...BASE, name: 'Waffles', status: 'sold' };
  const versions = { base: BASE, mine, theirs };
  assert.deepEqual(compareVersions(versions).overlapping, ['name', 'status']);
  assert.deepEqual(mergeVersions(versions, { name: 'theirs', status: 'mine' }), {
    ...BASE,
    name: 'Waffles',
    status: null,
  });
});

void test('three-way merge of tags: contains what either added, without what either removed', () => {
  const mine = { ...BASE, tags: [{ name: 'calm' }, { name: 'funny' }] };
  const theirs = { ...BASE, tags: [{ name: 'small' }, { name: 'calm' }, { name: 'old', id: '7' }] };
  const { tags } = mergeVersions({ base: BASE, mine, theirs }, { tags: 'both' });
  assert.deepEqual(tags, [{ name: 'calm' }, { name: 'old', id: '7' }, { name: 'funny' }]);
});
