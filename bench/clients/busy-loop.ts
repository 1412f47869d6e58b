/* Keeps one core busy until SIGTERM. */

console.log('STARTED');
const TURN_MS = 100;

/** Signals arrive between the turns. */
function compute(): void {
  const endMs = performance.now() + TURN_MS;
  while (performance.now() < endMs);
  setImmediate(compute);
}

process.once('SIGTERM', () => process.exit());
compute();
