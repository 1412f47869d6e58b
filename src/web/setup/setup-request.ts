import { errorOf, NetworkError } from '../../client/failures.ts';
import type { AccessMode } from '../../api/web/bootstrap.ts';

export interface SetupForm {
  token: string;
  username: string;
  password: string;
  access?: AccessMode;
  samples?: boolean;
  backupTo?: string;
  country?: string;
}

export interface SetupDone {
  /** Empty if the service continues at the address of the page. */
  url: string;
  /** Chosen settings that the operator has to set. */
  unsaved: Readonly<Record<string, string>>;
}

const READY_POLL_MS = 1000;

/** Not an operation of the API: only a service without an administrator has it. */
export async function sendSetup(form: SetupForm): Promise<SetupDone> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(form) };
  const response = await fetch('/setup', init).catch((cause: unknown) => {
    throw new NetworkError('no response', { cause });
  });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as SetupDone;
}

/** Calls `onReady` when the service has started. @returns a function that stops waiting */
export function waitUntilReady(onReady: () => void): () => void {
  const timer = setInterval(() => {
    fetch('/readyz').then(
      ({ ok }) => {
        if (!ok) return;
        clearInterval(timer);
        onReady();
      },
      () => {},
    );
  }, READY_POLL_MS);
  return () => clearInterval(timer);
}
