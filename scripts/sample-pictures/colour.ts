/** Shadows lean towards plum and lights towards cream: that is what holds the twenty pictures together. */
const SHADOW = '#2a1626';
const LIGHT = '#fff3d9';

const channels = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** A colour between two others. */
export function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  return `#${channels(from)
    .map((value, index) => Math.round(value + ((target[index] ?? 0) - value) * share))
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`;
}

/** The colour in shade. */
export const darker = (colour: string, share: number): string => mix(colour, SHADOW, share);

/** The colour in the light. */
export const lighter = (colour: string, share: number): string => mix(colour, LIGHT, share);
