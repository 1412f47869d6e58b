import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCheck } from '../../src/api/check.ts';
import { readProfile } from '../../src/api/read-profile.ts';
import { SentProfile } from '../../src/api/records/profile.ts';
import { profileFields, profileJson } from '../../src/domain/pets/profile.ts';
import { profileProblems } from '../../src/domain/pets/profile-rules.ts';
import { readSampleProfiles, sampleProfile } from '../../src/server/stores/sample-profiles.ts';
import { startMenagerie } from '../../src/testing/menagerie.ts';

void describe('profiles of the sample pets', () => {
  void it('follow the rules for profiles', async () => {
    const profiles = await readSampleProfiles();
    const nowMs = Date.UTC(2026, 10, 26);
    const check = createCheck(SentProfile);
    for (const name of Object.keys(profiles)) {
      const profile = sampleProfile(profiles, name, nowMs);
      const sent: unknown = JSON.parse(profileJson(profileFields(profile)));
      assert.deepEqual(readProfile(check(sent)), profile, name);
      assert.deepEqual(profileProblems(profile, { ownFields: [], locations: [], nowMs }), [], name);
    }
  });

  void it('are stored with the pets: one is a draft, two must stay together, and some have a fee', async () => {
    await using menagerie = await startMenagerie({ samples: true });
    const { client } = menagerie;
    const pets = await Array.fromAsync(client.exportPets.lines({ include: 'profile' }));
    assert.equal(pets.length, 20);
    for (const { name, profile } of pets) assert.ok(profile?.summary !== undefined && profile.birthDate, name);
    const drafts = pets.filter(({ profile }) => profile?.isPublished === false);
    assert.deepEqual(
      drafts.map(({ name }) => name),
      ['Ziggy'],
    );
    const bonded = pets.flatMap(({ id, profile }) => (profile?.bondedWith ?? []).map((other) => [id, other.id]));
    assert.deepEqual(bonded, [
      [13n, 14n],
      [14n, 13n],
    ]);
    assert.ok(pets.filter(({ profile }) => profile?.feeAmount !== undefined).length > 5);
    assert.equal((await client.getPetProfile({ petId: 1 })).breedPrimary, 'Terrier');
  });
});
