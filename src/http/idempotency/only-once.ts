import { hash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler, RouteHandlerMethod } from 'fastify';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import {
  doneBefore,
  RENEWAL_MS,
  type AnswerText,
  type BegunRequest,
  type Idempotency,
} from '../../domain/idempotency/idempotency.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import type { ReceiveUpload } from '../pets/upload.ts';
import { receiveWholeLines } from '../pets/whole-lines.ts';
import { answerTextOf, sendAgain, sizeOf } from './recorded-answer.ts';

export interface OnlyOnceNeeds {
  idempotency: Idempotency;
  /** Takes in the pictures of requests that bring one: they are compared by what is in them, for the boundary between their parts is another every time. */
  receive: ReceiveUpload;
  log: Logger;
}

export interface OnlyOnce {
  /** The same handler, carried out once for each idempotency key. */
  handle: (handler: RouteHandlerMethod) => RouteHandlerMethod;
  onSend: onSendHookHandler;
}

/** A request that is carried out now, and not answered yet. */
interface InHand extends BegunRequest {
  /** Its answer is on the way: what goes wrong from here on is answered, but settles nothing. */
  isSettled: boolean;
  /** It goes on being at work until this is called. */
  rest: () => void;
}

/** An answer with more than this is sent, and not kept. */
const MAX_KEPT_BYTES = 1024 * 1024;

const KEY =
  /^(?:"(?<quoted>(?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"|(?<bare>[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+))$/;
const MAX_KEY_LENGTH = 255;

/** Refusals that another try may not meet: of who asks, of how much and how often, and of what is out of reach. */
const NOT_KEPT = new Set([401, 403, 408, 413, 429]);

/**
 * `Idempotency-Key` on every POST (draft-ietf-httpapi-idempotency-key-header). What is sent without it passes as if none of this were there. A request
 * that does not even have the form that its operation wants is refused before its key is looked at, and does not use it up.
 */
export function onlyOnce({ idempotency, receive, log }: OnlyOnceNeeds): OnlyOnce {
  async function begin(request: FastifyRequest): Promise<ReturnType<Idempotency['begin']>> {
    const key = readKey(request);
    const body = await digestOf(request);
    // Of an operation that takes one body and gives one answer.
    const isOneChange = request.operation?.answer !== 'records';
    const hasSecret = request.operation?.isPrivate === true;
    return idempotency.begin(actorOf(request), {
      key,
      content: contentOf(request, body ?? ''),
      isOneChange,
      hasSecret,
    });
  }

  async function digestOf(request: FastifyRequest): Promise<string | null | undefined> {
    const { body } = request.operation ?? {};
    if (body === 'multipart') return (await receive(request)).digest;
    return body === 'ndjson' ? receiveWholeLines(request) : request.bodyDigest;
  }

  function takeInHand(begun: BegunRequest): InHand {
    const timer = setInterval(() => {
      // Whoever cannot say so loses nothing but time: what is changed is asked for its claim.
      begun.renew().catch((error: unknown) => log.debug({ err: error }, 'a claim was not renewed'));
    }, RENEWAL_MS);
    timer.unref();
    return { ...begun, isSettled: false, rest: () => clearInterval(timer) };
  }

  async function carryOut(handler: RouteHandlerMethod, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    try {
      const begun = await begin(request);
      if (begun.kind === 'answered') return await sendAgain(reply, begun.answer);
      request.inHand = takeInHand(begun);
      return await handler.call(request.server, request, reply);
    } catch (error) {
      // The change was made by an earlier try, whatever this one meets on its way.
      throw request.inHand?.isResumed === true ? doneBefore() : error;
    } finally {
      await request.upload?.file.discard();
    }
  }

  /** Whatever becomes of the record, the client is answered: what was changed is marked. */
  async function settle(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const words = 'what became of a request with an idempotency key was not written down';
      if (error instanceof Failure) log.debug({ err: error }, words);
      else log.error({ err: error }, words);
    });
  }

  async function keep(
    request: FastifyRequest,
    reply: FastifyReply,
    inHand: InHand,
    payload: unknown,
  ): Promise<unknown> {
    if (payload instanceof Readable && isKept(request, reply.statusCode, inHand))
      return sendKept(reply, inHand, payload);
    inHand.rest();
    if (!isKept(request, reply.statusCode, inHand)) {
      await settle(() => inHand.release());
      return payload;
    }
    const isSmall = sizeOf(payload) <= MAX_KEPT_BYTES;
    await settle(() => record(reply, inHand, isSmall ? answerTextOf(reply, payload) : undefined));
    return payload;
  }

  /** Whoever goes away before the end of the answer comes back for it: the work goes on, and the answer is kept. */
  function sendKept(reply: FastifyReply, inHand: InHand, stream: Readable): Readable {
    const sent = new PassThrough();
    if (reply.raw.destroyed) sent.destroy();
    else reply.raw.once('close', () => sent.destroy());
    pass(reply, inHand, { stream, sent }).then(
      () => sent.end(),
      (error: unknown) => sent.destroy(error as Error),
    );
    return sent;
  }

  /** The end of the answer comes when it is written down. One that breaks off leaves the mark of what was changed. */
  async function pass(
    reply: FastifyReply,
    inHand: InHand,
    { stream, sent }: { stream: Readable; sent: PassThrough },
  ): Promise<void> {
    let parts: Buffer[] = [];
    let size = 0;
    let isWhole = false;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer | string>) {
        const part = Buffer.from(chunk as string);
        size += part.byteLength;
        if (size <= MAX_KEPT_BYTES) parts.push(part);
        else parts = [];
        if (!sent.destroyed && !sent.write(part)) await isReadOn(sent);
      }
      isWhole = true;
    } finally {
      inHand.rest();
      const answer = () => (size <= MAX_KEPT_BYTES ? answerTextOf(reply, Buffer.concat(parts)) : undefined);
      await settle(() => (isWhole ? record(reply, inHand, answer()) : inHand.release()));
    }
  }

  return {
    handle: (handler) =>
      function (request, reply) {
        return request.headers['idempotency-key'] === undefined
          ? handler.call(this, request, reply)
          : carryOut(handler, request, reply);
      },

    onSend: (request, reply, payload, done) => {
      const { inHand } = request;
      if (inHand === null || inHand.isSettled) return done(null, payload);
      inHand.isSettled = true;
      keep(request, reply, inHand, payload).then((kept) => done(null, kept), done);
    },
  };
}

function record({ statusCode }: FastifyReply, inHand: InHand, answer: AnswerText | undefined): Promise<void> {
  return statusCode < 400 ? inHand.record(answer) : inHand.recordRefusal(answer);
}

/** That there is room again, or that nobody reads any more. */
function isReadOn(sent: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      sent.off('drain', goOn).off('close', goOn);
      resolve();
    };
    sent.on('drain', goOn).on('close', goOn);
  });
}

/** What makes a request this one and no other. */
function contentOf({ method, url, headers }: FastifyRequest, bodyDigest: string): string {
  const { 'content-type': type = '', 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  const mediaType = /^multipart\/form-data/i.test(type) ? 'multipart/form-data' : type;
  return hash('sha256', JSON.stringify([method, url, mediaType, ifMatch, ifNoneMatch, bodyDigest]));
}

/** What strangers try at the door is not kept: it would be a way to fill the database. */
function isKept({ operation }: FastifyRequest, status: number, { isResumed }: InHand): boolean {
  if (status < 400) return true;
  return status < 500 && !NOT_KEPT.has(status) && !isResumed && operation?.asksWho === true;
}

/** A string of RFC 8941, or the bare text that most clients send. @throws Failure `invalid-input` */
function readKey({ headers, raw }: FastifyRequest): string {
  const given = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'idempotency-key');
  const value = headers['idempotency-key'];
  const groups = typeof value === 'string' && given.length === 1 ? KEY.exec(value)?.groups : undefined;
  const key = groups?.['quoted']?.replaceAll(/\\(["\\])/g, '$1') ?? groups?.['bare'];
  if (key !== undefined && key.length <= MAX_KEY_LENGTH) return key;
  throw new Failure(
    'invalid-input',
    `Idempotency-Key must be given once, with 1 to ${MAX_KEY_LENGTH} visible characters of ASCII, best a UUID in double quotes.`,
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    inHand: InHand | null;
  }
}
