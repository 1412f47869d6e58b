import type { PetStatus } from '../../domain/pets/pet.ts';

/* Drawings in the application and in the first view, as SVG paths (https://www.w3.org/TR/SVG2/paths.html). */

/**
 * The background of every page by theme, as in `tokens.css`: for the areas that the browser and the system draw around
 * the page.
 */
export const PAPER = { light: '#faf6ee', dark: '#121815' } as const;

/** The colours of the logo as a system icon, on any background. */
export const ICON_COLOURS = { gate: '#1c6b4a', paw: '#ffffff' } as const;

/** The logo: a paw in a gate, 32 x 32. */
export const LOGO = {
  gate: 'M3 30V15a13 13 0 0 1 26 0v15z',
  toes: [
    { cx: 10.6, cy: 15.4, rx: 2, ry: 2.7 },
    { cx: 14.2, cy: 11.6, rx: 2, ry: 2.8 },
    { cx: 18.6, cy: 11.6, rx: 2, ry: 2.8 },
    { cx: 22, cy: 15.4, rx: 2, ry: 2.7 },
  ],
  ball: 'M16.3 17.2c3 0 5.7 3.1 5.7 5.7 0 2-1.6 2.9-3.2 2.9-1 0-1.6-.4-2.5-.4s-1.500.4-2.500.4c-1.600 0-3.200-.9-3.200-2.900 0-2.600 2.700-5.700 5.700-5.700z',
} as const;

/** The shape of each status, 16 x 16: colour alone is not accessible. */
export const STATUS_MARKS: Readonly<Record<PetStatus, string>> = {
  available: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13z',
  pending: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zm0 1.8a4.7 4.7 0 0 1 0 9.4z',
  sold: 'M6.4 11.9 2.5 8l1.5-1.5 2.4 2.4L12 3.3l1.5 1.5z',
};
