/*
 * Whether the service in this container wants requests, for Docker: 0 yes, 1 no. The image has no curl, and needs none.
 */
import { get } from 'node:http';

/** Below Docker's own limit, which ends this process without a word. */
const PATIENCE_MS = 4000;

const port = process.env['MENAGERIE_PORT'] ?? '8080';
const isReady = await new Promise((resolve) => {
  const request = get({ host: '127.0.0.1', port, path: '/readyz', signal: AbortSignal.timeout(PATIENCE_MS) });
  request.on('response', ({ statusCode }) => resolve(statusCode === 200));
  request.on('error', () => resolve(false));
});
process.exit(isReady ? 0 : 1);
