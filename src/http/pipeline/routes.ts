import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  onRequestHookHandler,
  preHandlerHookHandler,
  preValidationHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { Static, TSchema, TUnknown } from 'typebox';
import { createStrictCheck } from '../../api/check.ts';
import { DESCRIPTIONS } from '../../api/documents/descriptions.ts';
import type { OperationDescription } from '../../api/documents/parts/format.ts';
import { PETSTORE_OPERATIONS } from '../../api/documents/petstore.ts';
import {
  ACCEPT_PATCH,
  type Endpoint,
  ENDPOINTS,
  hasHead,
  isForAllOrigins,
  methodsOf,
  type OperationId,
} from '../../api/endpoints.ts';
import { patternOf } from '../../api/operation-paths.ts';
import { isListName, shownName } from '../../api/queries/query-values.ts';
import { closestName } from '../../api/words/nearest-name.ts';
import { Failure } from '../../domain/failure.ts';
import { slotOf } from './http-activity.ts';
import type { IdempotentRequests } from './idempotency.ts';

const { METHODS } = process.getBuiltinModule('node:http');

/** Reads the input of an operation, calls one use case, and sends the response. */
export type Handler<Body = unknown> = (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => unknown;

/** Adds the handler of an operation, and the schema of its body. */
export type AddRoute = <T extends TSchema = TUnknown>(
  operation: OperationId,
  handler: Handler<Static<T>>,
  body?: T,
) => void;

/**
 * TypeBox validates bodies, and responses are already serialized. Loading Fastify's own compilers takes longer than the
 * rest of the start of the server. (The types of these factories allow only Ajv; this one is called like that of
 * `setValidatorCompiler`.)
 */
export const SCHEMA_COMPILERS = {
  buildValidator: () => compileCheck,
  buildSerializer: () => () => (response: unknown) => JSON.stringify(response),
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

function compileCheck({ schema }: { schema: unknown }) {
  const { check } = schema as BodyCheck;
  return (value: unknown) => {
    try {
      return { value: check(value) };
    } catch (error) {
      return { error: error as Error };
    }
  };
}

interface BodyCheck {
  check: (value: unknown) => unknown;
}

/** The schema of a body, as an option of a route. @param record see `createStrictCheck` */
export function checkedBody(schema: TSchema, record?: TSchema): { schema: { body: BodyCheck } } {
  return { schema: { body: { check: createStrictCheck(schema, record) } } };
}

/** The record that a PUT or PATCH changes. Clients send it as they read it, with fields that they cannot set. */
function recordOf(operation: OperationId): TSchema | undefined {
  const { method } = ENDPOINTS[operation];
  const { responses }: OperationDescription = DESCRIPTIONS[operation];
  return method === 'POST' ? undefined : responses[200]?.content?.['application/json'];
}

/** Returns a function that adds the routes of the endpoint table to the application. */
export function routesOf(app: FastifyInstance, idempotent: IdempotentRequests): AddRoute {
  return (operation, handler, bodySchema) => {
    const { path, method, ...endpoint } = ENDPOINTS[operation];
    const config = { ...endpoint, isForAllOrigins: isForAllOrigins(path), slot: slotOf(operation) };
    const preHandler = refuseUnknownParameters(operation);
    app.route({
      method,
      url: templateOf(path),
      exposeHeadRoute: hasHead(ENDPOINTS[operation]),
      config,
      ...(config.body === 'form' && { onRequest: assumeForm, preValidation: defaultToEmptyForm }),
      ...(method === 'POST'
        ? { handler: idempotent.handle(handler as RouteHandlerMethod), onSend: idempotent.onSend }
        : { handler: handler as RouteHandlerMethod }),
      ...(bodySchema !== undefined && checkedBody(bodySchema, recordOf(operation))),
      ...(preHandler !== undefined && { preHandler }),
    });
  };
}

/** Responds to OPTIONS on every path of the endpoint table, and refuses other methods with 405. */
export function refuseOtherMethods(app: FastifyInstance): void {
  const supported = app.supportedMethods;
  const paths = [...new Set(Object.values(ENDPOINTS).map((endpoint) => endpoint.path))];
  for (const path of paths) {
    const allow = methodsOf(path);
    app.route({
      method: 'OPTIONS',
      url: templateOf(path),
      config: { isForAllOrigins: isForAllOrigins(path) },
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
      // In this hook, so that the body is not read.
      onRequest: (_request, _reply, done) => done(refusal),
      handler: () => {},
    });
  }
  refuseOtherMethodsOfNode(app, paths);
}

/**
 * Refuses the methods that Node supports, but no path has. One route per method and path, about two thousand, would
 * take a tenth of the start time of the service.
 */
function refuseOtherMethodsOfNode(app: FastifyInstance, paths: readonly string[]): void {
  const others = METHODS.filter((method) => !app.supportedMethods.includes(method) && method !== 'CONNECT');
  for (const method of others) app.addHttpMethod(method);
  // Sorted, so that a fixed segment comes before a parameter that also matches it.
  const routes = paths.toSorted().map((path) => ({ path, pattern: patternOf(path) }));
  app.route({
    method: others,
    url: '/*',
    onRequest: ({ url }, _reply, done) => {
      const requested = url.split('?', 1)[0] ?? '';
      const route = routes.find(({ pattern }) => pattern.test(requested));
      done(route && methodNotAllowed(methodsOf(route.path)));
    },
    handler: (_request, reply) => reply.callNotFound(),
  });
}

function methodNotAllowed(allow: readonly string[]): Failure {
  return new Failure('method-not-allowed', `Method not allowed; allowed methods: ${allow.join(', ')}`, { allow });
}

/**
 * For an operation that takes a form, a body without Content-Type is a form (RFC 9110, section 8.3, lets the recipient
 * decide).
 */
const assumeForm: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] ??= 'application/x-www-form-urlencoded';
  done();
};

/** All fields of the form are optional, so the body is too. */
const defaultToEmptyForm: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

declare module 'fastify' {
  /** The entry of the operation in the endpoint table; empty for routes that are not in the table. */
  interface FastifyContextConfig extends Partial<Omit<Endpoint, 'method' | 'path'>> {
    /** Whether pages of all origins may call it, without the session cookie. */
    isForAllOrigins?: boolean;
    /** The number of the operation, for metrics. */
    slot?: number;
  }
}

/**
 * Refuses parameters that the description of the operation does not have: a misspelled filter would otherwise match
 * everything.
 *
 * @returns undefined if any are accepted: without described parameters, and from clients of Petstore
 */
function refuseUnknownParameters(operation: OperationId): preHandlerHookHandler | undefined {
  const { query }: OperationDescription = DESCRIPTIONS[operation];
  if (query === undefined || PETSTORE_OPERATIONS.some((id) => id === operation)) return undefined;
  const names = Object.keys(query);
  const lists = names.filter((name) => (query[name] as { type?: string }).type === 'array');
  const isAccepted = (name: string) => names.includes(name) || lists.some((list) => isListName(name, list));
  return (request, _reply, done) => {
    const unknown = Object.keys(request.query as object).find((name) => !isAccepted(name));
    done(unknown === undefined ? undefined : explain(shownName(unknown), names));
  };
}

function explain(unknown: string, names: readonly string[]): Failure {
  const message = `Unknown query parameter: ${unknown}. Did you mean ${closestName(unknown, names)}?`;
  return new Failure('invalid-input', message);
}
