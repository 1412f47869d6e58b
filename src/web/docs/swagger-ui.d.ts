/* The parts of Swagger UI that are used. The package has no types. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Options {
    domNode: Element;
    url: string;
    deepLinking: boolean;
    displayRequestDuration: boolean;
    tryItOutEnabled: boolean;
    validatorUrl: null;
  }

  const SwaggerUI: (options: Options) => void;
  export default SwaggerUI;
}
