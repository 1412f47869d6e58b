import { test as base } from '@playwright/test';
import { startMenagerie, type Menagerie } from 'menagerie/testing';

/** A service for each worker of Playwright, as new for each test. `request` and `page` take addresses relative to it. */
export const test = base.extend<{ menagerie: Menagerie }, { service: Menagerie }>({
  service: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from this pattern what a fixture needs
    async ({}, use) => {
      const service = await startMenagerie({ samples: true });
      await use(service);
      await service.close();
    },
    { scope: 'worker' },
  ],
  menagerie: async ({ service }, use) => {
    await use(service);
    await service.reset();
  },
  baseURL: ({ menagerie }, use) => use(menagerie.origin),
});
