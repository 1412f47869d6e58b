/** The mark of Menagerie: a paw in a gate. It is named by the text beside it. */
export function Logo({ size = '2rem' }: { size?: string }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <path d="M3 30V15a13 13 0 0 1 26 0v15z" fill="var(--accent)" />
      <g fill="var(--on-accent)">
        <ellipse cx="10.6" cy="15.4" rx="2" ry="2.7" />
        <ellipse cx="14.2" cy="11.6" rx="2" ry="2.8" />
        <ellipse cx="18.6" cy="11.6" rx="2" ry="2.8" />
        <ellipse cx="22" cy="15.4" rx="2" ry="2.7" />
        <path d="M16.3 17.2c3 0 5.7 3.1 5.7 5.7 0 2-1.6 2.9-3.2 2.9-1 0-1.6-.4-2.5-.4s-1.500.4-2.500.4c-1.600 0-3.200-.9-3.200-2.900 0-2.600 2.700-5.700 5.700-5.700z" />
      </g>
    </svg>
  );
}
