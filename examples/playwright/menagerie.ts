import { test as base } from '@playwright/test';
import { startMenagerie, type Menagerie } from 'menagerie/testing';

/**
 * One service for each worker of Playwright, reset after each test. `request` and `page` accept URLs relative to it.
 */
export const test = base.extend<{ menagerie: Menagerie }, { service: Menagerie }>({
  service: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
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
