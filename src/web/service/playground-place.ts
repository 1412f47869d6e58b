import { bootstrap } from './bootstrap.ts';

export interface PlaygroundPlace {
  token: string;
  /** The API of its service, which the application of a playground does not have. */
  service: string;
  /** The URL of the playground, without a slash at the end. */
  url: string;
}

/** The playground of this page; undefined at the root of a service. */
export const playground = placeIn(bootstrap.basePath);

function placeIn(basePath: string): PlaygroundPlace | undefined {
  const [, root, token] = /^(.*)\/s\/([\w-]{22})$/.exec(basePath) ?? [];
  if (root === undefined || token === undefined) return undefined;
  return { token, service: `${root}/v2`, url: `${location.origin}${basePath}` };
}
