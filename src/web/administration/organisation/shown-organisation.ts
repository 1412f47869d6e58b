import { isLanguage } from '../../../api/web/languages.ts';
import { withScheme } from '../../design/fields/web-address.ts';
import {
  linesIn,
  otherLanguage,
  questionsIn,
  type OrganisationFields,
  type OrganisationView,
} from './organisation-fields.ts';

/** The organisation that visitors see once the fields are saved. */
export function shownOf(saved: OrganisationView, fields: OrganisationFields): OrganisationView {
  const { name, language, telephone, email, address, openingHours } = fields;
  const other = otherLanguage(language);
  const website = withScheme(fields.website);
  const contact = withoutEmpty({ telephone, email, website, address, openingHours });
  const locations = fields.locations.flatMap((each, index) =>
    each.name.trim() === ''
      ? []
      : [{ id: String(index), name: each.name, ...withoutEmpty({ address: each.address, place: each.place }) }],
  );
  const { about, adoptionSteps, commonQuestions } = fields;
  const { translatedAbout, translatedSteps, translatedHours, translatedQuestions } = fields;
  return {
    ...withoutEmpty({ name: name.trim() }),
    ...textsOf(saved, about, adoptionSteps, commonQuestions),
    ...withoutEmpty({ donationUrl: withScheme(fields.donationUrl) }),
    ...(Object.keys(contact).length > 0 && { contact }),
    ...(locations.length > 0 && { locations }),
    ...(isLanguage(language) && { language }),
    translations: {
      [other]: {
        ...textsOf(saved.translations?.[other], translatedAbout, translatedSteps, translatedQuestions),
        ...withoutEmpty({ openingHours: translatedHours }),
      },
    },
  };
}

type SavedTexts = Pick<OrganisationView, 'about' | 'aboutHtml'> | undefined;

function textsOf(saved: SavedTexts, about: string, steps: string, questions: string) {
  const aboutHtml = about === saved?.about ? (saved.aboutHtml ?? '') : paragraphsOf(about);
  const adoptionSteps = linesIn(steps);
  const commonQuestions = questionsIn(questions);
  return {
    ...withoutEmpty({ aboutHtml }),
    ...(adoptionSteps.length > 0 && { adoptionSteps }),
    ...(commonQuestions.length > 0 && { commonQuestions }),
  };
}

/** Without the formatting, which the service adds. */
function paragraphsOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const paragraphs = escaped.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  return paragraphs.map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`).join('');
}

function withoutEmpty<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as Partial<T>;
}
