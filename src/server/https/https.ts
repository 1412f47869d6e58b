import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { CertificateRenewal } from '../../domain/https/certificate-renewal.ts';
import type { CertificateAuthority, CertificateState, CertificateStore } from '../../domain/https/ports.ts';
import type { Clock } from '../../domain/ports.ts';
import type { HttpsSettings } from '../configuration/https-settings.ts';
import { logTrouble, type Logger } from '../log/log.ts';
import type { ProcessRecords } from '../system/process-records.ts';
import { listenForChallenges } from './plain-listener.ts';
import { TlsListener } from './tls-listener.ts';

/** Polling interval: another node may have obtained a certificate. */
const POLL_MS = 60_000;

interface HttpsDeps {
  app: FastifyInstance;
  settings: HttpsSettings;
  publicUrl: string;
  maxConnections: number;
  certificates: CertificateStore;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
  pollMs?: number;
}

export interface Https {
  /** Ports that are in use. */
  ports: { https: number; http: number };
  readCertificate(): Promise<CertificateState>;
  stop(): Promise<void>;
}

/**
 * Serves an application over HTTPS, with a certificate that is obtained and renewed.
 *
 * @throws Failure `unavailable` if an address cannot be used
 */
export async function serveHttps({
  app,
  settings,
  publicUrl,
  maxConnections,
  certificates,
  clock,
  log,
  records,
  pollMs = POLL_MS,
}: HttpsDeps): Promise<Https> {
  const { domains } = settings;
  const state = { isReady: false };
  const plain = await listenForChallenges({
    address: settings.httpListen,
    findAnswer: (token) => certificates.findChallenge(token),
    publicUrl,
    isReady: () => state.isReady,
    log,
  });
  const tls = new TlsListener({
    address: settings.httpsListen,
    // The name of the handshake: a client that asks for another host on the connection gets its own redirect.
    serverOf: (name) => (name !== domains[0] && domains.includes(name) ? plain.server : app.server),
    maxConnections,
  });
  const httpsPort = await tls.listen().catch(async (error: unknown) => {
    await plain.close();
    throw error;
  });
  const renewal = new CertificateRenewal({
    ...settings,
    certificates,
    authority: lazyAuthority,
    clock,
    onCertificate(certificate) {
      tls.use(certificate);
      state.isReady = true;
      log.info({ url: publicUrl, until: new Date(certificate.notAfterMs).toISOString() }, 'HTTPS certificate in use');
    },
    onFailure: (error, nextAtMs) =>
      log.warn({ domains, error, next: new Date(nextAtMs).toISOString() }, 'obtaining a certificate failed; retrying'),
  });

  const stopping = new AbortController();
  const onTrouble = logTrouble(log, 'looking for the certificate failed; retrying');
  async function keepRenewing(): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = records.beginJob('certificate');
      const isSuccess = await renewal.run().catch((error: unknown) => {
        onTrouble(error);
        return false;
      });
      end({ isFailed: !isSuccess, delayMs: pollMs });
      await delay(pollMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }
  // Not awaited: an order takes seconds to minutes, and may fail.
  void keepRenewing();

  return {
    ports: { https: httpsPort, http: plain.port },
    readCertificate: () => renewal.read(),
    async stop() {
      stopping.abort();
      await Promise.all([tls.close(), plain.close()]);
    },
  };
}

/** Loaded when it is used: it takes long, and a certificate is ordered every two months. */
const lazyAuthority: CertificateAuthority = {
  createAccountKey: async () => (await loadAuthority()).createAccountKey(),
  order: async (...order) => (await loadAuthority()).order(...order),
};

async function loadAuthority(): Promise<CertificateAuthority> {
  return (await import('../../services/acme/acme-authority.ts')).acmeAuthority;
}
