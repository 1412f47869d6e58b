import { setTimeout as delay } from 'node:timers/promises';
import { startChromium } from '../../test/web/support/chromium.ts';

/** Each is typed once, because the page keeps results. The first is not counted. */
const LETTERS = 'zscbltmrdpn';

/** Between two letters, for photos and facets. */
const PAUSE_MS = 1000;

/** Runs in the browser. As text, because this folder is compiled without the types of browsers. */
const WATCH = `
  addEventListener('keydown', ({ timeStamp }) => {
    const names = () => [...document.querySelectorAll('main article h2')].map((name) => name.textContent).join();
    const before = names();
    window.shown = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (names() === before || names() === '') return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
    });
  });
`;

/** The times from the key of a letter in the search field until the first page of results is painted, in ms. */
export async function measureTyping(origin: string): Promise<readonly number[]> {
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    await page.locator('main article').first().waitFor();
    await page.evaluate(WATCH);
    const field = page.getByRole('combobox', { name: 'Name, category or tag' });
    const ours: number[] = [];
    for (const letter of LETTERS) {
      await delay(PAUSE_MS);
      await field.selectText();
      await page.keyboard.press(letter);
      ours.push(await page.evaluate<number>('shown'));
    }
    return ours.slice(1);
  } finally {
    await browser.close();
  }
}
