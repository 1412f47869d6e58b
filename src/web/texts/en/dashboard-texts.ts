import dashboard from './dashboard.json';

export const texts = { dashboard };
