import enquiries from '../enquiries/texts/de/of-pets.json';

/** Texts of the pages of a pet, in the namespaces of the core. */
export const PET_TEXTS = [enquiries] as const;
