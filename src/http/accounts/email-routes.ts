import { SentEmail, SentMailTest, SentToken } from '../../api/records/account.ts';
import { deadMailText, mailTestText } from '../../api/records/system.ts';
import type { AccountEmail } from '../../domain/accounts/account-email.ts';
import type { MailAdministration } from '../../domain/mail/mail-administration.ts';
import { actorOf, anonymousOf } from '../pipeline/identify-actor.ts';
import { readerLanguageOf } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

interface EmailRoutesDeps {
  accountEmail: AccountEmail;
  mailAdministration: MailAdministration;
}

/** Messages to the owners of accounts, and a test of the settings. */
export class EmailRoutes {
  readonly #accountEmail: AccountEmail;
  readonly #mailAdministration: MailAdministration;

  constructor({ accountEmail, mailAdministration }: EmailRoutesDeps) {
    this.#accountEmail = accountEmail;
    this.#mailAdministration = mailAdministration;
  }

  addTo(add: AddRoute): void {
    add('requestEmailConfirmation', this.#requestEmailConfirmation);
    add('confirmEmail', this.#confirmEmail, SentToken);
    add('requestPasswordReset', this.#requestPasswordReset, SentEmail);
    add('testMail', this.#testMail, SentMailTest);
    add('retryWaitingMail', this.#retryWaiting);
    add('listDeadMail', this.#listDead);
    add('retryDeadMail', this.#retryDead);
    add('deleteDeadMail', this.#deleteDead);
  }

  readonly #requestEmailConfirmation: Handler = async (request, reply) => {
    await this.#accountEmail.requestConfirmation(actorOf(request), readerLanguageOf(request.headers));
    return sendApiResponse(reply, 'ok');
  };

  readonly #confirmEmail: Handler<SentToken> = async (request, reply) => {
    const language = readerLanguageOf(request.headers);
    await this.#accountEmail.confirm(anonymousOf(request), request.body.token, language);
    return sendApiResponse(reply, 'ok');
  };

  readonly #requestPasswordReset: Handler<SentEmail> = async (request, reply) => {
    const language = readerLanguageOf(request.headers);
    await this.#accountEmail.requestReset(anonymousOf(request), request.body.email, language);
    return sendApiResponse(reply, 'ok');
  };

  readonly #testMail: Handler<SentMailTest> = async (request, reply) => {
    const language = readerLanguageOf(request.headers);
    return sendJson(
      reply,
      mailTestText(await this.#mailAdministration.test(actorOf(request), request.body.to, language)),
    );
  };

  readonly #retryWaiting: Handler = async (request, reply) => {
    await this.#mailAdministration.retryWaiting(actorOf(request));
    return sendApiResponse(reply, 'ok');
  };

  readonly #listDead: Handler = async (request, reply) => {
    const dead = await this.#mailAdministration.listDead(actorOf(request));
    return sendJson(reply, `[${dead.map(deadMailText).join()}]`);
  };

  readonly #retryDead: Handler = async (request, reply) => {
    const { mailId } = request.params as { mailId: string };
    await this.#mailAdministration.retry(actorOf(request), mailId);
    return sendApiResponse(reply, mailId);
  };

  readonly #deleteDead: Handler = async (request, reply) => {
    const { mailId } = request.params as { mailId: string };
    await this.#mailAdministration.delete(actorOf(request), mailId);
    return sendApiResponse(reply, mailId);
  };
}
