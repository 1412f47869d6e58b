import { X509Certificate } from 'node:crypto';
import { Client, crypto } from 'acme-client';
import type { Certificate, CertificateAuthority } from '../../domain/https/ports.ts';

/** Time for one order. It stays below that of a claim. */
const TIMEOUT_MS = 4 * 60_000;

/** An authority for certificates by the protocol ACME (RFC 8555), with challenges over HTTP (section 8.3). */
export const acmeAuthority: CertificateAuthority = {
  async createAccountKey() {
    return (await crypto.createPrivateEcdsaKey()).toString();
  },

  async order({ directory, domains, accountKey }, putAnswer, removeAnswer) {
    const client = new Client({ directoryUrl: directory, accountKey });
    const [privateKey, request] = await crypto.createCsr(
      { commonName: domains[0] ?? '', altNames: [...domains] },
      await crypto.createPrivateEcdsaKey(),
    );
    const ordering = client.auto({
      csr: request,
      termsOfServiceAgreed: true,
      challengePriority: ['http-01'],
      // A node cannot reach every network from which the authority asks, and may be behind a router.
      skipChallengeVerification: true,
      challengeCreateFn: (_authorization, { token }, answer) => putAnswer(token, answer),
      challengeRemoveFn: (_authorization, { token }) => removeAnswer(token),
    });
    const chain = await withinTime(ordering);
    return { privateKey: privateKey.toString(), chain, ...lifetimeOf(chain) };
  },
};

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The authority did not finish the order within 4 minutes.')), TIMEOUT_MS);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** `X509Certificate` reads the first certificate of a chain. */
function lifetimeOf(chain: string): Pick<Certificate, 'notBeforeMs' | 'notAfterMs'> {
  const { validFrom, validTo } = new X509Certificate(chain);
  return { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
}
