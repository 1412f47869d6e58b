/* The parts of Swagger UI that are used. The package has no types. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type { ComponentType, createElement, useLayoutEffect, useRef } from 'react';

  export interface Request {
    requestContentType?: string;
    /** The fields of a form by name, or the text of another body. */
    requestBody?: string | Readonly<Record<string, unknown>>;
  }

  export type GetComponent = (name: string, isContainer?: boolean) => ComponentType<Record<string, unknown>>;

  export interface System {
    React: {
      createElement: typeof createElement;
      useLayoutEffect: typeof useLayoutEffect;
      useRef: typeof useRef;
    };
    fn: Readonly<Record<'buildRequest' | 'execute', (request: Request) => unknown>>;
    getComponent: GetComponent;
  }

  export interface ResponseBodyProps {
    content: unknown;
    contentType?: string;
    headers: Readonly<Record<string, string>>;
  }

  /** The properties of the components that are wrapped. */
  export interface ComponentProps {
    authorizationPopup: { authActions: { showDefinitions: (definitions: false) => void } };
    Button: { 'aria-label'?: string | undefined };
    Col: { className?: string; 'aria-label'?: string };
    InfoContainer: object;
    OperationSummaryPath: { getComponent: GetComponent };
    responseBody: ResponseBodyProps;
  }

  type Wrap<Props> = (original: ComponentType<Props>, system: System) => ComponentType<Props>;
  type WrapComponents = { readonly [Name in keyof ComponentProps]?: Wrap<ComponentProps[Name]> };

  /** Replaces an action or a selector. */
  type WrapFunction = (original: (...parameters: unknown[]) => unknown) => (...parameters: unknown[]) => unknown;
  type WrapFunctions = Readonly<Record<string, WrapFunction>>;

  export type Plugin = (system: System) => {
    fn?: System['fn'];
    wrapComponents?: WrapComponents;
    statePlugins?: Readonly<Record<string, { wrapActions?: WrapFunctions; wrapSelectors?: WrapFunctions }>>;
  };

  interface Options {
    domNode: Element;
    url: string;
    deepLinking: boolean;
    displayRequestDuration: boolean;
    tryItOutEnabled: boolean;
    validatorUrl: null;
    plugins: readonly Plugin[];
    requestInterceptor?: <T extends { url: string }>(request: T) => Promise<T>;
    oauth2RedirectUrl: string;
  }

  const SwaggerUI: (options: Options) => {
    initOAuth: (options: { clientId: string; usePkceWithAuthorizationCodeGrant: boolean }) => void;
  };
  export default SwaggerUI;
}

declare module 'swagger-ui-dist/oauth2-redirect.js';
