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
import type { IdempotentRequests } from './idempotency.ts';

/** Reads the input of an operation, calls one use case, and sends the response. */
export type Handler<Body = unknown> = (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => unknown;

/** Adds the handler of an operation, and the schema of its body. */
export type AddRoute = <T extends TSchema = TUnknown>(
  operation: OperationId,
  handler: Handler<Static<T>>,
  body?: T,
) => void;

/**
 * Bodies are checked by TypeBox, and responses are texts already. Loading the compilers of Fastify takes longer than everything else until the server listens.
 * (The types of these factories only allow Ajv; ours is called like one of `setValidatorCompiler`.)
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

/** Returns a function that adds the routes of the endpoint table to the application. */
export function routesOf(app: FastifyInstance, idempotent: IdempotentRequests): AddRoute {
  return (operation, handler, bodySchema) => {
    const { path, method, ...config } = ENDPOINTS[operation];
    app.route({
      method,
      url: templateOf(path),
      exposeHeadRoute: hasHead(ENDPOINTS[operation]),
      config,
      ...(config.body === 'form' && { onRequest: assumeForm, preValidation: takeNoBodyAsEmptyForm }),
      ...(method === 'POST'
        ? { handler: idempotent.handle(handler as RouteHandlerMethod), onSend: idempotent.onSend }
        : { handler: handler as RouteHandlerMethod }),
      ...(bodySchema !== undefined && { schema: { body: bodySchema } }),
    });
  };
}

/** Answers OPTIONS on every path of the table, and refuses the methods that a path does not have. */
export function refuseOtherMethods(app: FastifyInstance): void {
  const supported = app.supportedMethods;
  const paths = [...new Set(Object.values(ENDPOINTS).map((endpoint) => endpoint.path))];
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
      method: supported.filter((method) => !allow.includes(method)),
      url: templateOf(path),
      // Before the body is read.
      onRequest: (_request, _reply, done) => done(refusal),
      handler: () => {},
    });
  }
  refuseOtherMethodsOfNode(app, paths);
}

/**
 * Refuses the methods that Node supports and no path has. A route for each of them on each path, about two thousand, would take a tenth of the time until the
 * service listens.
 */
function refuseOtherMethodsOfNode(app: FastifyInstance, paths: readonly string[]): void {
  const others = METHODS.filter((method) => !app.supportedMethods.includes(method) && method !== 'CONNECT');
  for (const method of others) app.addHttpMethod(method);
  // In this order, a fixed segment comes before the parameter that also matches it.
  const places = paths.toSorted().map((path) => ({ path, shape: shapeOf(path) }));
  app.route({
    method: others,
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

/** Matches the URLs of a path. */
function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]*')}/?$`);
}

/** For an operation that takes a form, a body without a content type is one (RFC 9110, section 8.3, lets the recipient decide). */
const assumeForm: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] ??= 'application/x-www-form-urlencoded';
  done();
};

/** All fields of the form are optional, so the form is as well. */
const takeNoBodyAsEmptyForm: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

declare module 'fastify' {
  /** The operation of a request in the endpoint table; empty for routes that are not in the table. */
  interface FastifyContextConfig extends Partial<
    Pick<Endpoint, 'body' | 'changes' | 'answer' | 'xml' | 'takesXml' | 'asksWho' | 'needs' | 'isPrivate'>
  > {}
}
