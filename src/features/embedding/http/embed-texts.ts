import type { Language } from '../../../api/web/languages.ts';
import type { PetStatus } from '../../../domain/pets/pet.ts';

/* Texts of pages for frames. */

interface EmbedTexts {
  all: string;
  none: string;
  notFound: string;
  failed: string;
  status: Readonly<Record<Exclude<PetStatus, 'available'>, string>>;
}

export const EMBED_TEXTS: Readonly<Record<Language, EmbedTexts>> = {
  en: {
    all: 'Show all pets',
    none: 'No pets found.',
    notFound: 'This pet is no longer listed.',
    failed: 'The pets cannot be shown at the moment.',
    status: { pending: 'Pending', sold: 'Adopted' },
  },
  de: {
    all: 'Alle Tiere zeigen',
    none: 'Keine Tiere gefunden.',
    notFound: 'Dieses Tier gibt es hier nicht mehr.',
    failed: 'Die Tiere können gerade nicht gezeigt werden.',
    status: { pending: 'Reserviert', sold: 'Vermittelt' },
  },
};
