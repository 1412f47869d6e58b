import { LOGO } from '../../api/web/drawings.ts';

/** The logo: a paw in a gate. The text beside it is its name. */
export function Logo({ size = '2rem' }: { size?: string }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path d={LOGO.gate} fill="var(--accent)" />
      <g fill="var(--on-accent)">
        {LOGO.toes.map((toe) => (
          <ellipse key={toe.cx} {...toe} />
        ))}
        <path d={LOGO.ball} />
      </g>
    </svg>
  );
}
