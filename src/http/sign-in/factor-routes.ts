import {
  addedFactorText,
  addedPasskeyText,
  factorsText,
  passkeyStepText,
  passkeysText,
  recoveryCodesText,
  SentPasskey,
  SentPasskeyName,
  SentProof,
  SentTotpCode,
  totpSetupText,
} from '../../api/records/factors.ts';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { OwnFactors } from '../../domain/sign-in/own-factors.ts';
import type { OwnPasskeys } from '../../domain/sign-in/own-passkeys.ts';
import type { OwnerProof } from '../../domain/sign-in/owner-proof.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { SiteOf } from './passkey-site.ts';

interface FactorRoutesDeps {
  ownFactors: OwnFactors;
  ownPasskeys: OwnPasskeys;
  ownerProof: OwnerProof;
  siteOf: SiteOf;
  baseOf: (request: FastifyRequest) => string;
}

export class FactorRoutes {
  readonly #deps: FactorRoutesDeps;

  constructor(deps: FactorRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute): void {
    add('startPasskeyProof', this.#startPasskeyProof);
    add('proveOwnership', this.#prove, SentProof);
    add('getFactors', this.#getFactors);
    add('startTotp', this.#startTotp);
    add('confirmTotp', this.#confirmTotp, SentTotpCode);
    add('deleteTotp', this.#deleteTotp);
    add('replaceRecoveryCodes', this.#replaceRecoveryCodes);
    add('listPasskeys', this.#listPasskeys);
    add('startPasskey', this.#startPasskey);
    add('addPasskey', this.#addPasskey, SentPasskey);
    add('renamePasskey', this.#renamePasskey, SentPasskeyName);
    add('deletePasskey', this.#deletePasskey);
  }

  readonly #startPasskeyProof: Handler = async (request, reply) => {
    const { ownerProof, siteOf } = this.#deps;
    return sendJson(reply, passkeyStepText(await ownerProof.startPasskey(actorOf(request), siteOf(request))));
  };

  readonly #prove: Handler<SentProof> = async (request, reply) => {
    const { ownerProof, siteOf } = this.#deps;
    const actor = actorOf(request);
    const { password, factor, code, step, credential } = request.body;
    if (isGiven(password)) await ownerProof.withPassword(actor, password);
    else if (isGiven(factor) && isGiven(code)) await ownerProof.withCode(actor, factor, code);
    else if (isGiven(step) && isGiven(credential))
      await ownerProof.withPasskey(actor, step, credential, siteOf(request));
    else throw noProof();
    return sendApiResponse(reply, 'ok');
  };

  readonly #getFactors: Handler = async (request, reply) =>
    sendJson(reply, factorsText(await this.#deps.ownFactors.get(actorOf(request))));

  readonly #startTotp: Handler = async (request, reply) => {
    const { ownFactors, baseOf } = this.#deps;
    return sendJson(reply, totpSetupText(await ownFactors.startTotp(actorOf(request), nameOf(baseOf(request)))));
  };

  readonly #confirmTotp: Handler<SentTotpCode> = async (request, reply) => {
    const { step, code } = request.body;
    return sendJson(reply, addedFactorText(await this.#deps.ownFactors.confirmTotp(actorOf(request), step, code)));
  };

  readonly #deleteTotp: Handler = async (request, reply) => {
    await this.#deps.ownFactors.removeTotp(actorOf(request));
    return sendApiResponse(reply, 'ok');
  };

  readonly #replaceRecoveryCodes: Handler = async (request, reply) =>
    sendJson(reply, recoveryCodesText(await this.#deps.ownFactors.replaceRecoveryCodes(actorOf(request))));

  readonly #listPasskeys: Handler = async (request, reply) =>
    sendJson(reply, passkeysText(await this.#deps.ownPasskeys.list(actorOf(request))));

  readonly #startPasskey: Handler = async (request, reply) => {
    const { ownPasskeys, siteOf } = this.#deps;
    return sendJson(reply, passkeyStepText(await ownPasskeys.startAdding(actorOf(request), siteOf(request))));
  };

  readonly #addPasskey: Handler<SentPasskey> = async (request, reply) => {
    const { ownPasskeys, siteOf } = this.#deps;
    return sendJson(reply, addedPasskeyText(await ownPasskeys.add(actorOf(request), request.body, siteOf(request))));
  };

  readonly #renamePasskey: Handler<SentPasskeyName> = async (request, reply) => {
    await this.#deps.ownPasskeys.rename(actorOf(request), passkeyIdOf(request), request.body.name);
    return sendApiResponse(reply, 'ok');
  };

  readonly #deletePasskey: Handler = async (request, reply) => {
    await this.#deps.ownPasskeys.remove(actorOf(request), passkeyIdOf(request));
    return sendApiResponse(reply, 'ok');
  };
}

function passkeyIdOf({ params }: FastifyRequest): string {
  return (params as { passkeyId: string }).passkeyId;
}

/** The name of the service in an authenticator app. */
function nameOf(base: string): string {
  return URL.canParse(base) ? new URL(base).host : 'Menagerie';
}

/** Null means absent. */
function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function noProof(): Failure {
  return new Failure(
    'invalid-input',
    'Send one of: the field password; the fields factor and code; the fields step and credential.',
  );
}
