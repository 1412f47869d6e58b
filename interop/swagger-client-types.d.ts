declare module 'swagger-client' {
  /** Reads a document and offers its operations. */
  function openClient(document: { url: string } | { spec: object }): Promise<object>;
  export { openClient as default };
}
