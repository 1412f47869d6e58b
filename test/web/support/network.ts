import type { Page } from 'playwright-core';

/** A slow mobile connection, as in Lighthouse: 1.6 Mbit/s and a round-trip time of 150 ms. */
export const SLOW = { bytesPerSecond: 200_000, latencyMs: 150 };

export async function slowDown(page: Page, { bytesPerSecond, latencyMs } = SLOW): Promise<void> {
  const setSpeed = await openThrottle(page);
  await setSpeed(bytesPerSecond, latencyMs);
}

/** @returns changes the speed of the connection, also for pending requests */
export async function openThrottle(page: Page): Promise<(bytesPerSecond: number, latencyMs?: number) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  return async (bytesPerSecond, latencyMs = 0) => {
    // The protocol has -1 for no limit.
    const throughput = Number.isFinite(bytesPerSecond) ? bytesPerSecond : -1;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: latencyMs,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
  };
}
