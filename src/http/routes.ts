import { METHODS } from 'node:http';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  onRequestHookHandler,
  preValidationHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { Static, TSchema, TUnknown } from 'typebox';
import { createCheck } from '../api/check.ts';
import { ACCEPT_PATCH, ENDPOINTS, hasHead, methodsOf, type Endpoint, type OperationId } from '../api/endpoints.ts';
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
      exposeHeadRoute: hasHead(ENDPOINTS[operation]),
      config,
      ...(config.body === 'form' && { onRequest: assumeForm, preValidation: takeNoBodyAsEmptyForm }),
      ...(method === 'POST'
        ? { handler: handle(handler as RouteHandlerMethod), onSend }
        : { handler: handler as RouteHandlerMethod }),
      ...(bodySchema !== undefined && { schema: { body: bodySchema } }),
    });
  };
}

/** Answers OPTIONS on every path of the table, and refuses the methods that a path does not know. */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = [...new Set(Object.values(ENDPOINTS).map((endpoint) => endpoint.path))];
  const usual = app.supportedMethods;
  for (const path of paths) {
    const allow = methodsOf(path);
    app.route({
      method: 'OPTIONS',
      url: templateOf(path),
      handler: (_request, reply) => {
        reply.code(204).header('allow', allow.join(', '));
        if (allow.includes('PATCH')) reply.header('accept-patch', ACCEPT_PATCH);
        return reply.send();
      },
    });
    const refusal = methodNotAllowed(allow);
    app.route({
      method: usual.filter((method) => !allow.includes(method)),
      url: templateOf(path),
      // Before the body is looked at: what it is does not matter.
      onRequest: (_request, _reply, done) => done(refusal),
      handler: () => {},
    });
  }
  refuseStrangeMethods(app, paths);
}

/**
 * Refuses the methods that Node knows and no path does. A route for each of them on each path, some two thousand, would take a tenth of the time until the
 * service listens.
 */
function refuseStrangeMethods(app: FastifyInstance, paths: readonly string[]): void {
  const strange = METHODS.filter((method) => !app.supportedMethods.includes(method) && method !== 'CONNECT');
  for (const method of strange) app.addHttpMethod(method);
  // In this order, a word of ours comes before the parameter that could be in its place.
  const places = paths.toSorted().map((path) => ({ path, shape: shapeOf(path) }));
  app.route({
    method: strange,
    url: '/*',
    onRequest: ({ url }, _reply, done) => {
      const asked = url.split('?', 1)[0] ?? '';
      const place = places.find(({ shape }) => shape.test(asked));
      done(place && methodNotAllowed(methodsOf(place.path)));
    },
    handler: (_request, reply) => reply.callNotFound(),
  });
}

function methodNotAllowed(allow: readonly string[]): Failure {
  return new Failure('method-not-allowed', `This address knows ${allow.join(', ')}.`, { allow });
}

/** What addresses of this path look like. */
function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]*')}/?$`);
}

/** A body without a content type is a form where only forms are expected (RFC 9110, section 8.3, lets the recipient decide). */
const assumeForm: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] ??= 'application/x-www-form-urlencoded';
  done();
};

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
