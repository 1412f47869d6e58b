import type { ComponentType } from 'react';
import type { Plugin, Request, ResponseBodyProps, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { indentJson } from './indent-json.ts';

/**
 * A plugin of Swagger UI, which parses responses and the fields of forms as JSON: it would show and send
 * 9007199254740993 as 9007199254740992, the ID of another pet.
 */
export const exactNumbers: Plugin = ({ fn: { buildRequest, execute } }) => ({
  fn: {
    buildRequest: (request) => buildRequest(withFieldsAsTexts(request)),
    execute: (request) => execute(withFieldsAsTexts(request)),
  },
  wrapComponents: { responseBody: showJsonExactly },
});

/** Writes the fields of a form as JSON strings: parsed as JSON, they are what was typed. */
function withFieldsAsTexts(request: Request): Request {
  const { requestBody, requestContentType = '' } = request;
  const isForm = ['application/x-www-form-urlencoded', 'multipart/form-data'].includes(requestContentType);
  if (!isForm || typeof requestBody !== 'object') return request;
  const fields = Object.entries(requestBody).map(([name, value]) => [
    name,
    typeof value === 'string' ? JSON.stringify(value) : value,
  ]);
  return { ...request, requestBody: Object.fromEntries(fields) as Readonly<Record<string, unknown>> };
}

function showJsonExactly(original: ComponentType<ResponseBodyProps>, { React, getComponent }: System) {
  return (props: ResponseBodyProps) => {
    const { content, contentType = '', headers } = props;
    const isDownload = /^attachment/i.test(headers['content-disposition'] ?? '');
    if (!/json/i.test(contentType) || isDownload || typeof content !== 'string')
      return React.createElement(original, props);
    const text = indentJson(content);
    const code = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
    return React.createElement(
      'div',
      null,
      React.createElement('h5', null, 'Response body'),
      React.createElement(getComponent('HighlightCode', true), code, text),
    );
  };
}
