import type { FastifyReply } from 'fastify';
import { mailSettingsText, readMailSettings, SentMailSettings } from '../../api/records/settings/mail-settings.ts';
import type { MailSettingsView, SettingsAdministration } from '../../domain/settings/settings-administration.ts';
import { preconditionOf } from '../pets/pet-resource.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

/** Settings that administrators store. */
export class SettingsRoutes {
  readonly #settings: SettingsAdministration;

  constructor({ settingsAdministration }: { settingsAdministration: SettingsAdministration }) {
    this.#settings = settingsAdministration;
  }

  addTo(add: AddRoute): void {
    add('getMailSettings', this.#getMail);
    add('updateMailSettings', this.#updateMail, SentMailSettings);
  }

  readonly #getMail: Handler = async (request, reply) =>
    sendMail(reply, await this.#settings.getMail(actorOf(request)));

  readonly #updateMail: Handler<SentMailSettings> = async (request, reply) => {
    const sent = readMailSettings(request.body);
    return sendMail(reply, await this.#settings.putMail(actorOf(request), sent, preconditionOf(request.headers)));
  };
}

function sendMail(reply: FastifyReply, view: MailSettingsView): FastifyReply {
  return sendJson(reply.header('etag', `"${view.version}"`), mailSettingsText(view));
}
