import type { CreatedPlayground } from '../../api/records/playgrounds/playground.ts';
import type { Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** Placeholder for the token until the first request creates the playground. */
const NEW_TOKEN = 'new';
const STORED = 'menagerie-docs-playground';

type Stored = Pick<CreatedPlayground, 'token' | 'page' | 'expiresAt'>;

interface Request {
  url: string;
}

/**
 * Requests of the page go to the service or to a playground, as the list of servers says. The first request to the
 * playground creates it, so that readers of the page do not; it is used until it expires or the tab is closed.
 */
export class DocsPlayground {
  readonly #service: string;
  readonly #isDefault: boolean;
  readonly #target: HTMLElement | null = document.querySelector('.docs-target');
  #creating: Promise<Stored> | undefined;

  /** @param service the URL of the service, without a slash at its end */
  constructor(service: string, isDefault: boolean) {
    this.#service = service;
    this.#isDefault = isDefault;
  }

  /** Adds the playground to the servers of the document. */
  readonly plugin: Plugin = () => ({
    statePlugins: {
      spec: {
        wrapActions: {
          updateJsonSpec: (update) => (spec) => {
            const servers = this.#servers(spec as { servers?: readonly { url: string }[] });
            this.#show(servers[0].url);
            return update({ ...(spec as object), servers });
          },
        },
      },
      oas3: {
        wrapActions: {
          setSelectedServer: (select) => (server, namespace) => {
            if (namespace === undefined) this.#show(server as string);
            return select(server, namespace);
          },
        },
      },
    },
  });

  /** Sends a request to the playground, if it is selected. */
  readonly intercept = async <T extends Request>(request: T): Promise<T> => {
    const prefix = `${this.#service}/s/${NEW_TOKEN}/`;
    if (!request.url.startsWith(prefix)) return request;
    const { token } = await this.#get();
    request.url = `${this.#service}/s/${token}/${request.url.slice(prefix.length)}`;
    return request;
  };

  #servers({ servers = [] }: { servers?: readonly { url: string }[] }) {
    const playground = {
      url: `${this.#service}/s/${NEW_TOKEN}/v2`,
      description: 'A playground of your own, for a day',
    };
    const service = servers.map((server) => ({ ...server, description: 'This service and its pets' }));
    return (this.#isDefault ? [playground, ...service] : [...service, playground]) as [typeof playground];
  }

  #show(server: string): void {
    const isPlayground = server.startsWith(`${this.#service}/s/${NEW_TOKEN}/`);
    const what = isPlayground
      ? 'Requests go to a playground of your own, which the first one creates. '
      : 'Requests go to this service and change its pets. ';
    this.#target?.replaceChildren(what, 'Select another server below.');
  }

  /** Concurrent requests create one; after a failure, the next tries again. */
  async #get(): Promise<Stored> {
    this.#creating ??= this.#findOrCreate();
    try {
      const playground = await this.#creating;
      const link = document.createElement('a');
      link.href = playground.page;
      link.textContent = 'Open its pages';
      this.#target?.replaceChildren('Requests go to your playground. ', link, '. Select another server below.');
      return playground;
    } catch (error) {
      this.#creating = undefined;
      throw error;
    }
  }

  /** The playground of this tab, unless it has expired or the service has been restarted. */
  async #findOrCreate(): Promise<Stored> {
    const stored = sessionStorage.getItem(STORED);
    if (stored !== null) {
      const known = JSON.parse(stored) as Stored;
      if ((await fetch(`${this.#service}/v2/playgrounds/${known.token}`)).ok) return known;
    }
    const response = await fetch(`${this.#service}/v2/playgrounds`, { method: 'POST' });
    const created = (await response.json()) as CreatedPlayground & { message?: string };
    if (!response.ok) throw new Error(`No playground was created: ${created.message ?? response.status}`);
    const { token, page, expiresAt } = created;
    sessionStorage.setItem(STORED, JSON.stringify({ token, page, expiresAt }));
    return { token, page, expiresAt };
  }
}
