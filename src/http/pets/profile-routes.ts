import type { FastifyReply, FastifyRequest } from 'fastify';
import { readProfile, readProfileEdit } from '../../api/read-profile.ts';
import { SentProfile } from '../../api/records/profile.ts';
import type { MarkdownToHtml } from '../../domain/ports.ts';
import type { PetProfiles, ReadProfile } from '../../domain/pets/pet-profiles.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { isUnchanged, petIdOf, preconditionOf } from './pet-resource.ts';
import { profileResponse, profileTag, type ProfileResponse } from './profile-response.ts';

/** The profile of a pet as a resource beside it, with an entity tag of its own. */
export class ProfileRoutes {
  readonly #profiles: PetProfiles;
  readonly #responseOf: ProfileResponse;

  constructor({ profiles, markdownToHtml }: { profiles: PetProfiles; markdownToHtml: MarkdownToHtml }) {
    this.#profiles = profiles;
    this.#responseOf = profileResponse(markdownToHtml);
  }

  addTo(add: AddRoute): void {
    add('getPetProfile', this.#getPetProfile);
    add('replacePetProfile', this.#replacePetProfile, SentProfile);
    add('patchPetProfile', this.#patchPetProfile, SentProfile);
  }

  readonly #getPetProfile: Handler = async (request, reply) => {
    const profile = await this.#profiles.getProfile(actorOf(request), petIdOf(request));
    const entityTag = profileTag(profile);
    if (isUnchanged(request.headers, entityTag)) return reply.code(304).header('etag', `"${entityTag}"`).send();
    return this.#send(reply, profile);
  };

  readonly #replacePetProfile: Handler<SentProfile> = async (request, reply) => {
    const change = { replacedBy: readProfile(request.body) };
    return this.#send(reply, await this.#change(request, change));
  };

  readonly #patchPetProfile: Handler<SentProfile> = async (request, reply) => {
    const change = { edit: readProfileEdit(request.body) };
    return this.#send(reply, await this.#change(request, change));
  };

  #change(request: FastifyRequest, change: Parameters<PetProfiles['changeProfile']>[2]): Promise<ReadProfile> {
    const precondition = preconditionOf(request.headers);
    return this.#profiles.changeProfile(actorOf(request), petIdOf(request), change, precondition);
  }

  async #send(reply: FastifyReply, profile: ReadProfile): Promise<FastifyReply> {
    const { text, etag } = await this.#responseOf(profile);
    return sendJson(reply.header('etag', etag), text);
  }
}
