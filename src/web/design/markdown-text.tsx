/** @param html written by the service from Markdown, with few elements and no others */
export function MarkdownText({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
