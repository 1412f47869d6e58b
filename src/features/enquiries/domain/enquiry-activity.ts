/**
 * Why an enquiry was not stored. `form`: its token is wrong or used, or it was sent too fast; `honey`: the field was
 * filled in that people do not see; `limit`: of a client; `unavailable`: the limit of all, or trouble of the database.
 */
export const ENQUIRY_REFUSALS = ['off', 'adopted', 'form', 'invalid', 'honey', 'limit', 'unavailable'] as const;

export type EnquiryRefusal = (typeof ENQUIRY_REFUSALS)[number];

/** Enquiries that this process has taken and refused. */
export class EnquiryActivity {
  received = 0;
  readonly refused = new Map<EnquiryRefusal, number>(ENQUIRY_REFUSALS.map((reason) => [reason, 0]));

  refuse(reason: EnquiryRefusal): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }
}
