import { accentStyles } from '../../../api/web/accent-styles.ts';
import { habitsIn, localeIn } from '../../../api/records/organisation/countries.ts';
import { DEFAULT_NAME, isDescribed } from '../../../api/web/site.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { showSite } from '../../texts/show-site.ts';
import type { OrganisationView } from './organisation-fields.ts';
import { labelsOf } from '../../../api/words/organisation-texts.ts';

let styles: CSSStyleSheet | undefined;

/** Shows a changed organisation on the page, as the service would at its next load. */
export function showLook({ logo, ...organisation }: OrganisationView): void {
  const { name = DEFAULT_NAME, accentColour, contact, country, language } = organisation;
  const labels = labelsOf(organisation);
  const small = logo?.sizes.small;
  if (country !== undefined) bootstrap.locales = { en: localeIn('en', country), de: localeIn('de', country) };
  showSite(({ features }) => ({
    name,
    ...(small !== undefined && { logo: { src: small.url, width: small.width, height: small.height } }),
    ...(contact !== undefined && { contact }),
    ...(isDescribed(organisation) && { isDescribed: true }),
    ...(language !== undefined && { language }),
    ...(labels !== undefined && { labels }),
    ...(features && { features }),
    ...habitsIn(country),
  }));
  showAccent(accentColour === undefined ? '' : accentStyles(accentColour));
  showName(name);
}

/** The policy of the page allows no other element with styles than the one that came with it. */
function showAccent(text: string): void {
  document.querySelector('head > style')?.remove();
  if (styles === undefined) {
    styles = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  }
  styles.replaceSync(text);
}

function showName(name: string): void {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=application-name]');
  if (meta === null || meta.content === name) return;
  if (document.title.endsWith(` - ${meta.content}`))
    document.title = `${document.title.slice(0, -meta.content.length)}${name}`;
  meta.content = name;
}
