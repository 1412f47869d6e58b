import dashboard from './dashboard.json';

/** The German texts of the dashboard. */
export const texts = { dashboard };
