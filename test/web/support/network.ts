import type { Page } from 'playwright-core';

/** A slow mobile connection, as in Lighthouse: 1.6 Mbit/s and a round-trip time of 150 ms. */
export const SLOW = { bytesPerSecond: 200_000, latencyMs: 150 };

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
