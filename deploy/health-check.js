/*
 * Health check of the container: exits with 0 if the service is ready, otherwise with 1. The image has no curl.
 */
import { get } from 'node:http';

/** Shorter than the timeout of Docker, which kills this process. */
const TIMEOUT_MS = 4000;

const port = process.env['MENAGERIE_PORT'] ?? '8080';
const isReady = await new Promise((resolve) => {
  const request = get({ host: '127.0.0.1', port, path: '/readyz', signal: AbortSignal.timeout(TIMEOUT_MS) });
  request.on('response', ({ statusCode }) => resolve(statusCode === 200));
  request.on('error', () => resolve(false));
});
process.exit(isReady ? 0 : 1);
