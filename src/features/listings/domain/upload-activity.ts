/** Uploads to listing sites by this process, with the outcomes by site. */
export class UploadActivity {
  readonly outcomes = new Map<string, { sent: number; failed: number }>();

  count(site: string, outcome: 'sent' | 'failed'): void {
    const counts = this.outcomes.get(site) ?? { sent: 0, failed: 0 };
    counts[outcome]++;
    this.outcomes.set(site, counts);
  }
}
