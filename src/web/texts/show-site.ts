import type { Site } from '../../api/web/site.ts';
import { renderTexts } from './loaded-texts.ts';
import { bootstrap } from '../service/bootstrap.ts';

/**
 * Shows a change of the organisation, which the page does not get from the service before its next load. Everything
 * that shows the organisation has texts.
 */
export function showSite(change: (site: Site) => Site): void {
  bootstrap.site = change(bootstrap.site);
  void renderTexts();
}
