import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { samplePhoto } from '../../support/photo-files.ts';
import { checkQuickClicks, dialogButton, pageButton, type QuickCase } from '../../support/quick-clicks.ts';
import { addPet, addPhoto, startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';

/*
 * Each form and each button that changes something is activated twice in the same task. The second time does nothing.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

async function newPet(name: string): Promise<string> {
  return addPet(call, { name, category: { name }, status: 'available', tags: [{ name: 'calm' }] }, root);
}

async function deletedPet(name: string): Promise<string> {
  const id = await newPet(name);
  await call('DELETE', `pet/${id}`, { headers: root });
  return id;
}

const fillName = (name: string, label: string) => async (page: Page) => {
  await page.getByLabel('Name').fill(name);
  return pageButton(page, label);
};

void test('quick clicks: the form and the page of a pet', options, async (t) => {
  const edited = await newPet('Edited');
  const removed = await newPet('Removed');
  const photographed = await newPet('Photographed');
  for (const photo of ['cat-luna.jpg', 'cat-miso.jpg'])
    await addPhoto(call, photographed, await samplePhoto(photo), root);
  const versioned = await newPet('Versioned');
  await call('PATCH', `pet/${versioned}`, { headers: root, json: { name: 'Newer' } });
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  // The page of a deleted pet.
  visit.allow(/status of 404/);
  const cases: readonly QuickCase[] = [
    {
      name: 'add a pet',
      path: '/pets/new',
      prepare: fillName('Once', 'Publish'),
      sent: ['addPet'],
      done: (page) => page.getByRole('heading', { name: 'Once', exact: true }),
    },
    {
      name: 'add a pet and another',
      path: '/pets/new',
      prepare: async (page) => {
        await page.getByLabel('Add another afterwards').check();
        return fillName('First of several', 'Save as draft')(page);
      },
      sent: ['addPet'],
      done: (page) => page.getByText('First of several was saved as a draft.'),
    },
    {
      name: 'edit a pet',
      path: `/pets/${edited}/edit`,
      prepare: fillName('Edited once', 'Save'),
      sent: ['patchPet'],
      done: (page) => page.getByRole('heading', { name: 'Edited once' }),
    },
    {
      name: 'set the status',
      path: `/pets/${edited}`,
      prepare: (page) => page.getByRole('radio', { name: 'Pending' }),
      sent: ['patchPet'],
      done: (page) => page.getByText('Status of Edited once changed to Pending.'),
    },
    {
      name: 'make a draft',
      path: `/pets/${edited}`,
      prepare: (page) => pageButton(page, 'Make a draft'),
      sent: ['patchPetProfile'],
      done: (page) => page.getByText('Edited once is a draft: only staff see it.'),
    },
    {
      name: 'publish',
      path: `/pets/${edited}`,
      prepare: (page) => pageButton(page, 'Publish'),
      sent: ['patchPetProfile'],
      done: (page) => page.getByText('Edited once is published: visitors see this pet.'),
    },
    {
      name: 'show a photo first',
      path: `/pets/${photographed}/edit`,
      prepare: (page) => page.getByRole('button', { name: /as cover photo$/ }).last(),
      sent: ['updatePetPhoto'],
      done: (page) => page.getByRole('list', { name: 'Photos' }),
    },
    {
      name: 'remove a photo',
      path: `/pets/${photographed}/edit`,
      prepare: (page) => page.getByRole('button', { name: /^Remove photo/ }).first(),
      sent: ['deletePetPhoto'],
      done: (page) => page.getByText('Photo removed.'),
    },
    {
      name: 'restore a version',
      path: `/pets/${versioned}/history`,
      prepare: async (page) => {
        await page
          .getByRole('button', { name: /^Restore version of/ })
          .last()
          .click();
        return dialogButton(page, 'Restore');
      },
      sent: ['restorePetVersion'],
      done: (page) => page.getByText('Versioned was restored.'),
    },
    {
      name: 'undo',
      path: `/pets/${versioned}`,
      prepare: async (page) => {
        await page.getByRole('radio', { name: 'Adopted' }).click();
        await page.getByText('changed to Adopted').waitFor();
        await visit.waitForIdle();
        return page.getByRole('button', { name: 'Undo' });
      },
      sent: ['patchPet'],
      done: (page) =>
        page.getByText('Status of Newer changed back to').or(page.getByText('Status of Versioned changed back to')),
    },
    {
      name: 'delete a pet',
      path: `/pets/${removed}`,
      prepare: (page) => pageButton(page, 'Delete'),
      sent: ['deletePet'],
      done: (page) => page.getByText('Removed was deleted.'),
    },
    {
      name: 'restore a deleted pet',
      path: `/pets/${removed}`,
      prepare: (page) => pageButton(page, 'Restore'),
      sent: ['restorePet'],
      done: (page) => page.getByRole('heading', { name: 'Removed', exact: true }),
    },
    {
      name: 'restore in the list of deleted pets',
      path: '/pets/deleted',
      prepare: async (page) => {
        await deletedPet('Listed');
        await page.reload();
        return page.getByRole('button', { name: 'Restore Listed' });
      },
      sent: ['restorePet'],
      done: (page) => page.getByText('Listed was restored.'),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});

async function select(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select Bulk' }).check();
}

void test('quick clicks: bulk changes in the list', options, async (t) => {
  await newPet('Bulk');
  const visit = await openVisit(t, service, { loggedInAs: 'edna' });
  const path = '/?category=Bulk';
  const cases: readonly QuickCase[] = [
    {
      name: 'status of a card',
      path,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Actions for Bulk' }).click();
        return page.getByRole('menuitemradio', { name: 'Pending' });
      },
      sent: ['patchPet'],
      done: (page) => page.getByText('Status of Bulk changed to Pending.'),
    },
    {
      name: 'status of selected pets',
      path,
      prepare: async (page) => {
        await select(page);
        await pageButton(page, 'Status').click();
        return page.getByRole('menuitemradio', { name: 'Adopted' });
      },
      sent: ['changePets'],
      done: (page) => page.getByRole('button', { name: 'Undo' }),
    },
    {
      name: 'tags of selected pets',
      path,
      prepare: async (page) => {
        await select(page);
        await pageButton(page, 'Tags').click();
        await page.getByRole('dialog').getByRole('checkbox', { name: /calm/ }).check();
        return dialogButton(page, 'Update 1 pet');
      },
      sent: ['changePets'],
      done: (page) => page.getByRole('button', { name: 'Undo' }),
    },
    {
      name: 'delete selected pets',
      path,
      prepare: async (page) => {
        await select(page);
        await pageButton(page, 'Delete').click();
        return dialogButton(page, 'Delete 1 pet');
      },
      sent: ['changePets'],
      done: (page) => page.getByRole('button', { name: 'Undo' }),
    },
    {
      name: 'category of selected pets',
      path,
      prepare: async (page) => {
        await newPet('Bulk');
        await page.reload();
        await select(page);
        await pageButton(page, 'Category').click();
        await page.getByRole('dialog').getByLabel('Category').fill('Other');
        return dialogButton(page, 'Set for 1 pet');
      },
      sent: ['changePets'],
      done: (page) => page.getByRole('button', { name: 'Undo' }),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});
