import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';

/** What went wrong during a visit, a sentence each. */
export interface Troubles {
  all: readonly string[];
  add(text: string): void;
}

/** Notes from now on what no page of ours should do: complain, break its own policy, ask others, or ask in vain. */
export function watchTroubles(context: BrowserContext, origin: string): Troubles {
  const all: string[] = [];
  const add = (text: string) => void all.push(text);
  context.on('console', (message) => {
    const text = explainMessage(message);
    if (text !== undefined) add(text);
  });
  context.on('weberror', (error) =>
    add(`An error that nobody caught: ${error.error().stack ?? error.error().message}`),
  );
  context.on('request', (request) => {
    if (isForeign(request, origin)) add(`A request to another origin: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const text = explainFailure(request);
    if (text !== undefined) add(text);
  });
  return { all, add };
}

/** Crashes are told by the page, not by the context. */
export function watchCrashes(page: Page, troubles: Troubles): void {
  page.on('crash', () => troubles.add('The page crashed.'));
}

function explainMessage(message: ConsoleMessage): string | undefined {
  const type = message.type();
  if (type !== 'error' && type !== 'warning') return undefined;
  const { url } = message.location();
  return `The console says (${type}): ${message.text()}${url === '' ? '' : ` at ${url}`}`;
}

function isForeign(request: Request, origin: string): boolean {
  const url = new URL(request.url());
  return /^(?:https?|wss?):$/.test(url.protocol) && url.origin !== origin;
}

/** What the page itself gives up, as when somebody types on or goes elsewhere, is no failure. */
function explainFailure(request: Request): string | undefined {
  const reason = request.failure()?.errorText ?? '';
  return reason === 'net::ERR_ABORTED' ? undefined : `A request failed: ${request.method()} ${request.url()} ${reason}`;
}
