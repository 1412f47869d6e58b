import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../support/service.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { openVisit } from './support/visit.ts';

const service = await startTestService({ after }, { web: true, flags: ['--empty'] });

const LEADS: readonly (readonly [to: string, link: string])[] = [
  ['/pets/1', '/sign-up?to=%2Fpets%2F1'],
  ['https://elsewhere.example/', '/sign-up'],
  ['//elsewhere.example/', '/sign-up'],
  ['javascript:alert(1)', '/sign-up'],
];

for (const [to, link] of LEADS)
  void test(
    `login: with the return address ${to}, the sign-up link is ${link}`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const visit = await openVisit(t, service);
      await visit.open(`/login?${new URLSearchParams({ to }).toString()}`);
      const signUp = visit.page.getByRole('main').getByRole('link', { name: 'Sign up' });
      assert.equal(await signUp.getAttribute('href'), link);
    },
  );
