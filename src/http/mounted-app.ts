import { createApp, type AppDeps } from './app.ts';
import { commonHeaders, formatHeaders, replaceCommonHeaders } from './pipeline/common-headers.ts';
import type { Mount, RawExchange } from './pipeline/mount.ts';
import type { HttpSettings } from './pipeline/settings.ts';

/** An application that gets its requests from the door of another one. */
export interface MountedApp {
  handle(exchange: RawExchange): void;
  close(): Promise<void>;
}

/** Creates an application without a server. */
export async function mountApp(settings: HttpSettings, deps: AppDeps & { mount: Mount }): Promise<MountedApp> {
  const app = createApp(settings, deps);
  // Search engines must not list what exists for a day.
  const common = formatHeaders({ ...commonHeaders(settings), 'x-robots-tag': 'noindex' });
  await app.ready();
  return {
    handle({ request, response }) {
      replaceCommonHeaders(response, common);
      app.routing(request, response);
    },
    close: () => app.close(),
  };
}
