import { accentTones } from '../../domain/organisation/accent.ts';

/** Overrides the tokens of `src/web/design/tokens.css`, wherever it is loaded, and those of pages for frames. */
export function accentStyles(accentColour: string): string {
  const light = accentTones(accentColour, 'light');
  const dark = accentTones(accentColour, 'dark');
  const tokens = {
    '--accent': [light.accent, dark.accent],
    '--accent-hover': [light.accentHover, dark.accentHover],
    '--on-accent': [light.onAccent, dark.onAccent],
    '--accent-soft': [light.accentSoft, dark.accentSoft],
  };
  const rules = Object.entries(tokens).map(([token, tones]) => `${token}:light-dark(${tones.join(',')})`);
  return `:root:root{${rules.join(';')}}`;
}
