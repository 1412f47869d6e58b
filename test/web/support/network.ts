import type { Page } from 'playwright-core';

/** Of a telephone in the country, as Lighthouse has it: 1.6 Mbit/s and 150 ms from question to answer. */
export const SLOW = { bytesPerSecond: 200_000, latencyMs: 150 };

/** Slows the page down from now on. */
export async function slowDown(page: Page, { bytesPerSecond, latencyMs } = SLOW): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}
