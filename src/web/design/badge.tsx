import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'available' | 'pending' | 'sold' | 'danger';

/** A short word about something, such as its status, in the colours of the status of a pet. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone | undefined; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
