import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { RESET_PATH } from '../../contract/account-views.ts';
import { ENDPOINTS } from '../../contract/endpoints.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 1.05rem/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; }
  label { display: block; margin: 1.25rem 0 .35rem; }
  input, button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem .75rem; border-radius: .5rem; border: 1px solid #8888; }
  button { margin-top: 1.5rem; border: 0; background: #1c6b4a; color: #fff; cursor: pointer; }
  button:disabled { opacity: .6; cursor: default; }
  input:focus-visible, button:focus-visible { outline: 3px solid #3aa37a; outline-offset: 2px; }
  [role=status] { min-height: 3em; margin-top: 1rem; }
`;

/** The token stands behind the #, where no server and no log sees it; the script takes it from there, and out of the address bar. */
const SCRIPT = `
  const form = document.querySelector('form');
  const status = document.querySelector('[role=status]');
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  if (token === '') status.textContent = 'This link is not complete. Open it exactly as you were given it.';
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const newPassword = form.elements.password.value;
    if (newPassword !== form.elements.again.value) {
      status.textContent = 'The two are not the same.';
      return;
    }
    const button = form.querySelector('button');
    button.disabled = true;
    status.textContent = 'One moment...';
    try {
      const response = await fetch('${ENDPOINTS.resetPassword.path}', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, newPassword }),
      });
      const answer = await response.json();
      if (response.ok) {
        form.hidden = true;
        status.textContent = 'Done. You can log in with the new password now.';
      } else {
        const problem = answer.errors?.find(({ path }) => path === '/newPassword');
        status.textContent = problem === undefined ? answer.message : 'The password ' + problem.message + '.';
      }
    } catch {
      status.textContent = 'The service could not be reached. Try again in a moment.';
    }
    button.disabled = false;
  });
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Choose a new password - Menagerie</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Choose a new password</h1>
<p>A few words that only you would put together are easy to remember and hard to guess.</p>
<form>
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus>
<label for="again">Once more</label>
<input id="again" name="again" type="password" autocomplete="new-password" required>
<button>Set the password</button>
</form>
<p role="status"></p>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** Nothing runs on this page but what is written above (CSP level 3, section 6.7.3). */
const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where a reset link leads: a form for the new password. Opening it uses nothing up, as programs that preview links do. */
export function addResetPage(app: FastifyInstance): void {
  app.get(RESET_PATH, (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
      })
      .send(PAGE),
  );
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
