import { queryOptions } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import type { Language } from '../../../api/web/languages.ts';
import { reader } from '../../../web/service/client.ts';

export type EnquiryForm = ResultOf<'getEnquiryForm'>;
export type Question = EnquiryForm['questions'][number];

export interface LoadedForm {
  form: EnquiryForm;
  /** In the time of `performance.now()`. */
  loadedAtMs: number;
}

/** It is not read again by itself: its token is sent with the enquiry, and is refused while it is too new. */
export function enquiryFormQuery(petId: string) {
  return queryOptions({
    queryKey: ['enquiry-form', petId],
    queryFn: async ({ signal }): Promise<LoadedForm> => {
      const form = await reader.getEnquiryForm({ petId: BigInt(petId) }, { signal });
      return { form, loadedAtMs: performance.now() };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** The value that is sent, and what people read. */
export interface ShownChoice {
  value: string;
  label: string;
}

export function choicesOf({ choices = [] }: Question, language: Language): readonly ShownChoice[] {
  return choices.map(({ value, labelEn, labelDe }) => ({
    value,
    label: (language === 'de' ? labelDe : labelEn) ?? value,
  }));
}
