import { METHODS } from 'node:http';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  preValidationHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { Static, TSchema, TUnknown } from 'typebox';
import { createCheck } from '../contract/check.ts';
import { ACCEPT_PATCH, ENDPOINTS, methodsOf, type Endpoint, type OperationId } from '../contract/endpoints.ts';
import { Failure } from '../domain/failure.ts';
import type { OnlyOnce } from './idempotency/only-once.ts';

/** What a route does: reads the input, calls one use case, presents the answer. */
export type Handler<Body = unknown> = (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => unknown;

export type AddRoute = <T extends TSchema = TUnknown>(
  operation: OperationId,
  handler: Handler<Static<T>>,
  body?: T,
) => void;

/**
 * Fastify's own way from schemas to checks and to texts takes more time to load than all the rest until a server listens. Bodies are checked by
 * TypeBox, and answers are texts already. (The types of these factories know of Ajv alone; ours is called as one of `setValidatorCompiler` would be.)
 */
export const SCHEMA_COMPILERS = {
  buildValidator: () => compileCheck,
  buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

function compileCheck({ schema }: { schema: unknown }) {
  const check = createCheck(schema as TSchema);
  return (value: unknown) => {
    try {
      return { value: check(value) };
    } catch (error) {
      return { error: error as Error };
    }
  };
}

/** Adds the routes of the endpoint table to the application: the table says where, a handler says what. */
export function routesOf(app: FastifyInstance, { handle, onSend }: OnlyOnce): AddRoute {
  return (operation, handler, bodySchema) => {
    const { path, method, ...config } = ENDPOINTS[operation];
    app.route({
      method,
      url: templateOf(path),
      config,
      ...(config.body === 'form' && { preValidation: takeNoBodyAsEmptyForm }),
      ...(method === 'POST'
        ? { handler: handle(handler as RouteHandlerMethod), onSend }
        : { handler: handler as RouteHandlerMethod }),
      ...(bodySchema !== undefined && { schema: { body: bodySchema } }),
    });
  };
}

/** Answers OPTIONS on every path of the table, and refuses the methods that a path does not know. */
export function refuseOtherMethods(app: FastifyInstance): void {
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  for (const path of new Set(Object.values(ENDPOINTS).map((endpoint) => endpoint.path))) {
    const allow = methodsOf(path);
    const others = app.supportedMethods.filter((method) => !allow.includes(method));
    app.route({
      method: 'OPTIONS',
      url: templateOf(path),
      handler: (_request, reply) => {
        reply.code(204).header('allow', allow.join(', '));
        if (allow.includes('PATCH')) reply.header('accept-patch', ACCEPT_PATCH);
        return reply.send();
      },
    });
    const refusal = new Failure('method-not-allowed', `This address knows ${allow.join(', ')}.`, { allow });
    app.route({
      method: others,
      url: templateOf(path),
      // Before the body is looked at: what it is does not matter.
      onRequest: (_request, _reply, done) => done(refusal),
      handler: () => {},
    });
  }
}

/** All fields of a form may be left out, and then the form as well. */
const takeNoBodyAsEmptyForm: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

declare module 'fastify' {
  /** What the endpoint table says of the operation that a request is for; nothing for what is not in the table. */
  interface FastifyContextConfig extends Partial<
    Pick<Endpoint, 'body' | 'changes' | 'answer' | 'xml' | 'takesXml' | 'asksWho' | 'needs' | 'isPrivate'>
  > {}
}
