import dashboard from './dashboard.json';

/** The English texts of the dashboard. */
export const texts = { dashboard };
