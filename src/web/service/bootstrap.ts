import { readJson } from '../../client/int64-text.ts';
import { BOOTSTRAP_ID, type Bootstrap } from '../../api/web/bootstrap.ts';

/** What the page was told with it; where it came from elsewhere (while it is being developed), the least that can be assumed. */
export const bootstrap: Bootstrap = {
  version: 'development',
  access: 'open',
  signUp: true,
  minPasswordLength: 1,
  maxPhotoBytes: 10 * 1024 * 1024,
  maxPhotoPixels: 40_000_000,
  currentUser: null,
  answers: {},
  ...(readJson(document.getElementById(BOOTSTRAP_ID)?.textContent ?? '{}') as Partial<Bootstrap>),
};

/** Style elements that are made by our libraries carry it: the policy of the page forbids all others. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
