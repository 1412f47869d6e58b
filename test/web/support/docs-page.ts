import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { clientOf, type Call } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { openVisit } from './visit.ts';

/** As doubles, both are 9007199254740992. */
const ROUNDED = '9007199254740992';
const ID = '9007199254740993';
const MAX = '9223372036854775807';

/** An expanded operation on the API page. */
export class DocsOperation {
  readonly place: Locator;

  private constructor(page: Page, id: string) {
    this.place = page.locator(`#operations-pet-${id}`);
  }

  static async open(page: Page, id: string): Promise<DocsOperation> {
    const operation = new DocsOperation(page, id);
    await operation.place.locator('.opblock-summary-control').click();
    return operation;
  }

  /** Fills a parameter, or a field of the form. */
  async fill(name: string, value: string): Promise<void> {
    const row = `:is([data-param-name="${name}"], [data-property-name="${name}"])`;
    await this.place.locator(`${row} input[type=text]`).fill(value);
  }

  async fillBody(text: string): Promise<void> {
    await this.place.locator('textarea').fill(text);
  }

  /** Selects the media type of the response. */
  async accept(mediaType: string): Promise<void> {
    await this.place.locator('.responses-wrapper select').first().selectOption(mediaType);
  }

  /** Sends the request, and waits until the shown response contains the text. */
  async execute(shown: string): Promise<void> {
    await this.place.getByRole('button', { name: 'Execute' }).click();
    await this.place.locator('.live-responses-table .highlight-code').filter({ hasText: shown }).waitFor();
  }
}

/** Reads, changes and deletes a pet on the API page. A double cannot distinguish its ID from that of another pet. */
export async function checkExactIntegers(t: TestContext, document: 'openapi' | 'swagger'): Promise<void> {
  const service = await startTestService(t, { web: true });
  const call = clientOf(service.base);
  for (const id of [ROUNDED, ID]) {
    const body = Buffer.from(`{"id":${id},"name":"Rex"}`);
    await call('POST', 'pet', { body, headers: { 'content-type': 'application/json' } });
  }
  const visit = await openVisit(t, service);
  await visit.open(`/docs?document=${document}`);
  // Swagger UI inserts responses above the documented ones.
  await visit.expectShifts(() => usePet(visit.page, call));
}

async function usePet(page: Page, call: Call): Promise<void> {
  const get = await DocsOperation.open(page, 'getPetById');
  await get.fill('petId', ID);
  await get.execute(`"id": ${ID},`);
  await get.accept('application/xml');
  await get.execute(`<id>${ID}</id>`);

  const put = await DocsOperation.open(page, 'updatePet');
  await put.fillBody(`{"id": ${ID}, "category": {"id": ${MAX}, "name": "Dogs"}, "name": "Max"}`);
  await put.execute(`"id": ${MAX},`);
  assert.match((await call('GET', `pet/${ID}`)).text, new RegExp(`"category":\\{"id":${MAX},`));

  const form = await DocsOperation.open(page, 'updatePetWithForm');
  await form.fill('petId', ID);
  await form.fill('name', ID);
  await form.execute(`"message": "${ID}"`);
  assert.match((await call('GET', `pet/${ID}`)).text, new RegExp(`"name":"${ID}"`));

  const remove = await DocsOperation.open(page, 'deletePet');
  await remove.fill('petId', ID);
  await remove.execute(`"message": "${ID}"`);
  assert.equal((await call('GET', `pet/${ID}`)).status, 404);
  assert.match((await call('GET', `pet/${ROUNDED}`)).text, /"name":"Rex"/);
}
