import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';

/** The errors of a visit, one sentence each. */
export interface PageErrors {
  all: readonly string[];
  add(text: string): void;
}

/** Records console messages, uncaught errors, requests to other origins and failed requests. */
export function watchPageErrors(context: BrowserContext, origin: string): PageErrors {
  const all: string[] = [];
  const add = (text: string) => void all.push(text);
  context.on('console', (message) => {
    const text = explainMessage(message);
    if (text !== undefined) add(text);
  });
  context.on('weberror', (error) => add(`Uncaught error: ${error.error().stack ?? error.error().message}`));
  context.on('request', (request) => {
    if (isForeign(request, origin)) add(`A request to another origin: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const text = explainFailure(request);
    if (text !== undefined) add(text);
  });
  return { all, add };
}

/** Crashes are events of the page, not of the context. */
export function watchCrashes(page: Page, errors: PageErrors): void {
  page.on('crash', () => errors.add('The page crashed.'));
}

function explainMessage(message: ConsoleMessage): string | undefined {
  const type = message.type();
  if (type !== 'error' && type !== 'warning') return undefined;
  const { url } = message.location();
  return `Console ${type}: ${message.text()}${url === '' ? '' : ` at ${url}`}`;
}

function isForeign(request: Request, origin: string): boolean {
  const url = new URL(request.url());
  return /^(?:https?|wss?):$/.test(url.protocol) && url.origin !== origin;
}

/** Requests that the page aborts itself, because the user types on or navigates, are not failures. */
function explainFailure(request: Request): string | undefined {
  const reason = request.failure()?.errorText ?? '';
  return reason === 'net::ERR_ABORTED' ? undefined : `A request failed: ${request.method()} ${request.url()} ${reason}`;
}
