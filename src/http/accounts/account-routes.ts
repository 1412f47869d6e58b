import { accountText, createdKeyText, keyText, sessionText } from '../../api/account-views.ts';
import { SentKey, SentPasswordChange, SentPasswordReset } from '../../api/account-schemas.ts';
import { DEFAULT_KEY_LIFETIME_DAYS } from '../../domain/accounts/api-key.ts';
import type { OwnAccount } from '../../domain/accounts/own-account.ts';
import type { PasswordReset } from '../../domain/accounts/password-reset.ts';
import { sendApiResponse, sendJson } from '../answer.ts';
import type { AddRoute } from '../routes.ts';
import { actorOf, anonymousOf } from './identify-actor.ts';

export interface AccountRoutesNeeds {
  ownAccount: OwnAccount;
  passwordReset: PasswordReset;
}

const DAY_MS = 24 * 3_600_000;

/** What people do with their own account: password, sessions, keys. */
export function addAccountRoutes(add: AddRoute, { ownAccount, passwordReset }: AccountRoutesNeeds): void {
  add('getAccount', async (request, reply) =>
    sendJson(reply, accountText(await ownAccount.getAccount(actorOf(request)))),
  );

  add(
    'changePassword',
    async (request, reply) => {
      const { oldPassword, newPassword, revokeKeys } = request.body;
      await ownAccount.changePassword(actorOf(request), { oldPassword, newPassword, keepKeys: revokeKeys === false });
      return sendApiResponse(reply, 'ok');
    },
    SentPasswordChange,
  );

  add(
    'resetPassword',
    async (request, reply) => {
      const { token, newPassword } = request.body;
      await passwordReset.resetPassword(anonymousOf(request), token, newPassword);
      return sendApiResponse(reply, 'ok');
    },
    SentPasswordReset,
  );

  add('listSessions', async (request, reply) => {
    const sessions = await ownAccount.listSessions(actorOf(request));
    return sendJson(reply, `[${sessions.map(sessionText).join()}]`);
  });

  add('endOtherSessions', async (request, reply) => {
    await ownAccount.endOtherSessions(actorOf(request));
    return sendApiResponse(reply, 'ok');
  });

  add('endSession', async (request, reply) => {
    const { sessionId } = request.params as { sessionId: string };
    await ownAccount.endSession(actorOf(request), sessionId);
    return sendApiResponse(reply, sessionId);
  });

  add('listKeys', async (request, reply) => {
    const keys = await ownAccount.listKeys(actorOf(request));
    return sendJson(reply, `[${keys.map(keyText).join()}]`);
  });

  add(
    'createKey',
    async (request, reply) => {
      const { name, scopes, expiresInDays, password } = request.body;
      const lifetimeMs = (expiresInDays ?? DEFAULT_KEY_LIFETIME_DAYS) * DAY_MS;
      const created = await ownAccount.createKey(actorOf(request), { name, scopes, lifetimeMs }, password ?? undefined);
      return sendJson(reply, createdKeyText(created));
    },
    SentKey,
  );

  add('revokeKey', async (request, reply) => {
    const { keyId } = request.params as { keyId: string };
    await ownAccount.revokeKey(actorOf(request), keyId);
    return sendApiResponse(reply, keyId);
  });
}
