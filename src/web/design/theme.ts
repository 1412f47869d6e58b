import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/** The accent green, from light to dark. */
const PADDOCK: MantineColorsTuple = [
  '#eef7f1',
  '#dfeee4',
  '#bcdcc9',
  '#97caac',
  '#7fcba5',
  '#4f9f78',
  '#2c8059',
  '#1c6b4a',
  '#155339',
  '#0e3b28',
];

/** Warm greys. */
const GRAY: MantineColorsTuple = [
  '#faf6ee',
  '#f2ebde',
  '#e4dac8',
  '#d3c8b4',
  '#b9ae99',
  '#8d8571',
  '#6b6555',
  '#4d4a3f',
  '#33332b',
  '#1f2a24',
];

const DARK: MantineColorsTuple = [
  '#efeae0',
  '#d5d6cd',
  '#adb7af',
  '#6e7b73',
  '#3b4841',
  '#2e3a34',
  '#1a221e',
  '#121815',
  '#0d1210',
  '#080b0a',
];

interface Paint {
  main: string;
  hover: string;
  on: string;
  soft: string;
}

const PAINTS: Readonly<Record<string, Paint>> = {
  paddock: {
    main: 'var(--accent)',
    hover: 'var(--accent-hover)',
    on: 'var(--on-accent)',
    soft: 'var(--accent-soft)',
  },
  red: { main: 'var(--danger)', hover: 'var(--danger)', on: 'var(--paper)', soft: 'var(--danger-soft)' },
};

/** Maps component variants to the colours of tokens.css, which cover light and dark and have enough contrast. */
const resolveColors: VariantColorsResolver = (input) => {
  const paint = PAINTS[input.color ?? input.theme.primaryColor];
  if (paint === undefined) return defaultVariantColorsResolver(input);
  const { main, hover, on, soft } = paint;
  const none = 'transparent';
  switch (input.variant) {
    case 'filled':
      return { background: main, hover, color: on, border: `1px solid ${none}` };
    case 'light':
      return { background: soft, hover: soft, color: main, border: `1px solid ${none}` };
    case 'outline':
      return { background: none, hover: soft, color: main, border: `1px solid ${main}` };
    case 'subtle':
      return { background: none, hover: soft, color: main, border: `1px solid ${none}` };
    default:
      return defaultVariantColorsResolver(input);
  }
};

/** Applies the design tokens of tokens.css to the component library. */
export const theme = createTheme({
  colors: { paddock: PADDOCK, gray: GRAY, dark: DARK },
  primaryColor: 'paddock',
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver: resolveColors,
  white: '#ffffff',
  black: '#1f2a24',
  fontFamily: 'var(--font-text)',
  headings: { fontFamily: 'var(--font-title)', fontWeight: '400' },
  defaultRadius: 'md',
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.625rem', lg: '0.875rem', xl: '1.25rem' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

const GROUND = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-soft)',
  '--mantine-color-placeholder': 'var(--ink-soft)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--surface-sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
};

/** The CSS variables of the component library. The tokens cover light and dark. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: GROUND, dark: GROUND });
