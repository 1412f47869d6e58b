import {
  passwordResetText,
  accountText,
  createdKeyText,
  keyText,
  sessionText,
  SentKey,
  SentPasswordChange,
  SentPasswordReset,
} from '../../api/records/account.ts';
import { DEFAULT_KEY_LIFETIME_DAYS } from '../../domain/accounts/api-key.ts';
import type { OwnAccount } from '../../domain/accounts/own-account.ts';
import type { PasswordReset } from '../../domain/accounts/password-reset.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { readerLanguageOf } from '../pipeline/negotiation.ts';
import { actorOf, clientOf } from '../pipeline/identify-actor.ts';

interface AccountRoutesDeps {
  ownAccount: OwnAccount;
  passwordReset: PasswordReset;
}

const DAY_MS = 24 * 3_600_000;

/** The account of the logged-in user: password, sessions, API keys. */
export class AccountRoutes {
  readonly #ownAccount: OwnAccount;
  readonly #passwordReset: PasswordReset;

  constructor({ ownAccount, passwordReset }: AccountRoutesDeps) {
    this.#ownAccount = ownAccount;
    this.#passwordReset = passwordReset;
  }

  addTo(add: AddRoute): void {
    add('getAccount', this.#getAccount);
    add('changePassword', this.#changePassword, SentPasswordChange);
    add('resetPassword', this.#resetPassword, SentPasswordReset);
    add('listSessions', this.#listSessions);
    add('endOtherSessions', this.#endOtherSessions);
    add('endSession', this.#endSession);
    add('listKeys', this.#listKeys);
    add('createKey', this.#createKey, SentKey);
    add('revokeKey', this.#revokeKey);
  }

  readonly #getAccount: Handler = async (request, reply) =>
    sendJson(reply, accountText(await this.#ownAccount.getAccount(actorOf(request))));

  readonly #changePassword: Handler<SentPasswordChange> = async (request, reply) => {
    const { oldPassword, newPassword, revokeKeys } = request.body;
    const change = { oldPassword: oldPassword ?? undefined, newPassword, keepKeys: revokeKeys === false };
    await this.#ownAccount.changePassword(actorOf(request), change);
    return sendApiResponse(reply, 'ok');
  };

  readonly #resetPassword: Handler<SentPasswordReset> = async (request, reply) => {
    const { token, newPassword } = request.body;
    const language = readerLanguageOf(request.headers);
    const username = await this.#passwordReset.resetPassword(clientOf(request), token, newPassword, language);
    return sendJson(reply, passwordResetText(username));
  };

  readonly #listSessions: Handler = async (request, reply) => {
    const sessions = await this.#ownAccount.listSessions(actorOf(request));
    return sendJson(reply, `[${sessions.map(sessionText).join()}]`);
  };

  readonly #endOtherSessions: Handler = async (request, reply) => {
    await this.#ownAccount.endOtherSessions(actorOf(request));
    return sendApiResponse(reply, 'ok');
  };

  readonly #endSession: Handler = async (request, reply) => {
    const { sessionId } = request.params as { sessionId: string };
    await this.#ownAccount.endSession(actorOf(request), sessionId);
    return sendApiResponse(reply, sessionId);
  };

  readonly #listKeys: Handler = async (request, reply) => {
    const keys = await this.#ownAccount.listKeys(actorOf(request));
    return sendJson(reply, `[${keys.map(keyText).join()}]`);
  };

  readonly #createKey: Handler<SentKey> = async (request, reply) => {
    const { name, scopes, expiresInDays, password } = request.body;
    const key = { name, scopes, lifetimeMs: (expiresInDays ?? DEFAULT_KEY_LIFETIME_DAYS) * DAY_MS };
    const created = await this.#ownAccount.createKey(actorOf(request), key, password ?? undefined);
    return sendJson(reply, createdKeyText(created));
  };

  readonly #revokeKey: Handler = async (request, reply) => {
    const { keyId } = request.params as { keyId: string };
    await this.#ownAccount.revokeKey(actorOf(request), keyId);
    return sendApiResponse(reply, keyId);
  };
}
