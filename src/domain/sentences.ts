const TWO_STOPS = /(?<!\.)\.\.(?= |$)/g;

/** Ends a sentence with one stop, also after a name that has its own, such as `e. V.`. Three stops are an ellipsis. */
export function withSingleStops(text: string): string {
  return text.replaceAll(TWO_STOPS, '.');
}
