import enquiries from '../enquiries/texts/de/findings.json';
import listings from '../listings/texts/de/findings.json';
import webhooks from '../webhooks/texts/de/findings.json';

/** Texts of health checks and of the problems that they find. */
export const FEATURE_FINDINGS = [enquiries, listings, webhooks] as const;
