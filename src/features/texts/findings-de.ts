import enquiries from '../enquiries/texts/de/findings.json';

/** Texts of problems that health checks find. */
export const FEATURE_FINDINGS = { ...enquiries };
