import { once } from 'node:events';
import { request, type Agent, type ClientRequest } from 'node:http';

/** A request to add a pet, whose headers have arrived at the server, but not yet its body. */
export async function openRequest(base: string, body: string, agent: Agent | false = false): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' };
  const open = request(`${base}/pet`, { method: 'POST', headers, agent, timeout: 30_000 });
  // The test checks how the request ends.
  open.on('error', () => {});
  open.on('timeout', () => open.destroy());
  open.flushHeaders();
  await once(open, 'continue');
  open.write(body.slice(0, 5));
  return open;
}
