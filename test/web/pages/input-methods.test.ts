import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { samplePhoto } from '../support/photo-files.ts';
import { dialogButton, pageButton } from '../support/quick-clicks.ts';
import { addPet, addPhoto, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Enter that confirms a word of an input method, as Chromium and Safari send it.
 */

const { service, call, root } = await startStaffedService({ after });
const id = await addPet(call, { name: 'Neko', category: { name: 'Cats' }, tags: [{ name: 'calm' }] }, root);
await addPhoto(call, id, await samplePhoto('cat-luna.jpg'), root);

interface Place {
  name: string;
  path: string;
  /** @returns the field with the text */
  prepare: (page: Page) => Promise<Locator>;
  text: string;
  ctrlKey?: boolean;
}

const fieldWith = (label: string) => async (page: Page) => {
  const field = page.locator('input').and(page.getByLabel(label)).first();
  await field.fill('猫');
  return field;
};

const PLACES: readonly Place[] = [
  { name: 'tags of a pet', path: `/pets/${id}/edit`, prepare: fieldWith('Tags'), text: '猫' },
  { name: 'category of a pet', path: `/pets/${id}/edit`, prepare: fieldWith('Category'), text: '猫' },
  {
    name: 'description of a photo',
    path: `/pets/${id}/edit`,
    prepare: fieldWith('Description (alt text)'),
    text: '猫',
  },
  { name: 'shortcut that saves', path: '/pets/new', prepare: fieldWith('Name'), text: '猫', ctrlKey: true },
  {
    name: 'tags to add',
    path: '/?category=Cats',
    prepare: async (page) => {
      await page.getByRole('checkbox', { name: 'Select Neko' }).check();
      await pageButton(page, 'Tags').click();
      await page.getByLabel('Add tags').fill('猫');
      await dialogButton(page, 'Update 1 pet').waitFor();
      return page.getByLabel('Add tags');
    },
    text: '猫',
  },
  {
    name: 'suggestions of the search',
    path: '/',
    prepare: async (page) => {
      const field = page.getByRole('combobox', { name: 'Name, category or tag' });
      await field.fill('Ne');
      await page.getByRole('option').first().waitFor();
      await field.press('ArrowDown');
      return field;
    },
    text: 'Ne',
  },
];

for (const { name, path, prepare, text, ctrlKey = false } of PLACES)
  void test(`input method: ${name}`, { skip: skipWithoutBrowser }, async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'edna' });
    const { page } = visit;
    await visit.open(path);
    const field = await prepare(page);
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      const isUnhandled = await field.evaluate(
        (element, given) =>
          element.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...given }),
          ),
        { ctrlKey, ...init },
      );
      assert.ok(isUnhandled, JSON.stringify(init));
      assert.equal(await field.inputValue(), text);
    }
  });
