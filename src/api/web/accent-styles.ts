import { accentTones } from '../../domain/organisation/accent.ts';

/** Overrides the tokens of `src/web/design/tokens.css`, wherever it is loaded, and those of pages for frames. */
export function accentStyles(accentColour: string): string {
  const rules = Object.entries(accentTokens(accentColour)).map(([token, tones]) => `${token}:${tones}`);
  return `:root:root{${rules.join(';')}}`;
}

/** The tokens with their tones in both color schemes. */
export function accentTokens(accentColour: string): Readonly<Record<`--${string}`, string>> {
  const light = accentTones(accentColour, 'light');
  const dark = accentTones(accentColour, 'dark');
  return {
    '--accent': `light-dark(${light.accent},${dark.accent})`,
    '--accent-hover': `light-dark(${light.accentHover},${dark.accentHover})`,
    '--on-accent': `light-dark(${light.onAccent},${dark.onAccent})`,
    '--accent-soft': `light-dark(${light.accentSoft},${dark.accentSoft})`,
  };
}
