/**
 * Begins an address as people write it, such as `example.org`, with `https://`. A host with a port has no slash after
 * the colon, as all schemes of links have that the service takes.
 */
export function withScheme(text: string): string {
  const address = text.trim();
  return address === '' || /^[a-z][a-z\d+.-]*:\//i.test(address) ? address : `https://${address}`;
}

/** The same for addresses that are one on each line. */
export function linesWithScheme(text: string): string {
  return text.split('\n').map(withScheme).join('\n');
}
