import type { Clock } from './ports.ts';

/** How claims of jobs are renewed. */
export interface ClaimRenewal {
  clock: Clock;
  /** How long other processes leave the work alone when this one has ended. */
  claimMs: number;
  /** Calls the function several times during `claimMs`, until the returned function is called. */
  repeat: (renew: () => void) => () => void;
}

/**
 * Renews a claim while the work lasts: the claim of a process that was killed ends soon.
 *
 * @param renew renews the claim until `untilMs`, and returns false if this process has lost it
 * @param work its signal is aborted when the claim is lost, because another process does the work
 * @returns the result, and when the claim ends
 */
export async function whileClaimed<T>(
  { clock, claimMs, repeat }: ClaimRenewal,
  claim: { untilMs: number; renew: (untilMs: number, nextMs: number) => Promise<boolean> },
  work: (lost: AbortSignal) => Promise<T>,
): Promise<{ result: T; untilMs: number }> {
  let { untilMs } = claim;
  let renewing: Promise<void> | undefined;
  const losing = new AbortController();

  async function renew(): Promise<void> {
    const nextMs = clock() + claimMs;
    try {
      if (await claim.renew(untilMs, nextMs)) untilMs = nextMs;
      else losing.abort();
    } catch {
      // The database may answer the next renewal.
    }
    renewing = undefined;
  }

  const stop = repeat(() => {
    if (clock() >= untilMs) losing.abort();
    if (!losing.signal.aborted) renewing ??= renew();
  });
  let result: T;
  try {
    result = await work(losing.signal);
  } finally {
    stop();
    await renewing;
  }
  return { result, untilMs };
}
