import styles from './photo-placeholder.module.css';

interface Drawing {
  /** In the languages of the application; a category may have any name. */
  words: RegExp;
  ears: string;
  /** Besides eyes and nose. */
  lines?: string;
}

const CAT: Drawing = {
  words: /\b(?:cat|kitt|katze|kater)/i,
  ears: 'M42 62 40 26 66 44zM118 62l2-36-26 18z',
  lines: 'M44 82l-20-4M44 90l-19 4M116 82l20-4M116 90l19 4',
};

const DOG: Drawing = {
  words: /\b(?:dog|pupp|hund|welpe)/i,
  ears: 'M50 44c-20-4-28 16-24 44 2 10 12 8 16-2zM110 44c20-4 28 16 24 44-2 10-12 8-16-2z',
};

const RABBIT: Drawing = {
  words: /\b(?:rabbit|bunn|hare|kaninchen|hase)/i,
  ears: 'M66 48C52 34 48 8 58 6s18 22 16 42zM94 48c14-14 18-40 8-42s-18 22-16 42z',
};

const LION: Drawing = {
  words: /\b(?:lion|tiger|löwe)/i,
  ears: 'M80 26l13 10 16-5 7 15 16 4-1 17 13 11-10 14 5 16-16 5-5 16-17-2-11 12-12-11-17 3-6-15-16-5 4-17-11-13 12-12-2-17 16-5 6-16 17 4z',
};

const MOUSE: Drawing = {
  words: /\b(?:mouse|mice|rat|hamster|guinea|gerbil|maus|ratte|meerschwein)/i,
  ears: 'M48 58a17 17 0 1 1 18-26zM112 58a17 17 0 1 0-18-26z',
  lines: 'M46 90l-18-2M46 96l-17 6M114 90l18-2M114 96l17 6',
};

const DRAWINGS = [CAT, DOG, RABBIT, LION, MOUSE];
const COLOURS = ['moss', 'honey', 'plum'] as const;

/** Shown for a pet without photos: a face for known categories, otherwise a paw. Each category has one colour. */
export function PhotoPlaceholder({ category }: { category: string | undefined }) {
  const drawing = DRAWINGS.find(({ words }) => words.test(category ?? ''));
  return (
    <svg
      className={styles['placeholder']}
      data-colour={COLOURS[sumOf(category ?? '') % COLOURS.length]}
      viewBox="0 0 160 120"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
      <path className={styles['hill']} d="M-40 120V96c40-22 78-24 120-10s84 12 120-8v42z" />
      {drawing === undefined ? <Paw /> : <Face {...drawing} />}
    </svg>
  );
}

function Face({ ears, lines }: Drawing) {
  return (
    <>
      <path className={styles['body']} d={ears} />
      <path className={styles['body']} d="M80 40c26 0 42 18 42 40 0 20-16 34-42 34s-42-14-42-34c0-22 16-40 42-40z" />
      <circle className={styles['ink']} cx="64" cy="76" r="4" />
      <circle className={styles['ink']} cx="96" cy="76" r="4" />
      <path className={styles['ink']} d="M74 87q6-4 12 0-2 6-6 7-4-1-6-7z" />
      <path className={styles['line']} d="M80 94v4m0 0q-5 6-11 2m11-2q5 6 11 2" />
      {lines !== undefined && <path className={styles['line']} d={lines} />}
    </>
  );
}

function Paw() {
  return (
    <g className={styles['body']}>
      <ellipse cx="52" cy="60" rx="9" ry="13" transform="rotate(-24 52 60)" />
      <ellipse cx="70" cy="42" rx="9.5" ry="14" transform="rotate(-7 70 42)" />
      <ellipse cx="92" cy="42" rx="9.5" ry="14" transform="rotate(7 92 42)" />
      <ellipse cx="110" cy="60" rx="9" ry="13" transform="rotate(24 110 60)" />
      <path d="M81 62c16 0 31 18 31 31 0 11-9 15-17 15-6 0-8-3-14-3s-8 3-14 3c-8 0-17-4-17-15 0-13 15-31 31-31z" />
    </g>
  );
}

function sumOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
}
