/*
 * The countries (ISO 3166-1 alpha-2) with their currencies (ISO 4217), and what profiles do not ask there.
 */

/** Currencies of one country, whose code they begin with. */
const OWN_CURRENCIES = `AED AFN ALL AMD AOA ARS AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
  CLP CNY COP CRC CUP CVE CZK DJF DOP DZD EGP ERN ETB FJD FKP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR INR IQD
  IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT MOP MRU MUR MVR
  MWK MXN MYR MZN NAD NGN NIO NPR OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE
  SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX UYU UZS VES VND VUV WST YER ZAR ZMW`;

const SHARED_CURRENCIES: Readonly<Record<string, string>> = {
  ANG: 'CW SX',
  AUD: 'AU CC CX HM KI NF NR TV',
  CHF: 'CH LI',
  DKK: 'DK FO GL',
  EUR: 'AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA YT',
  GBP: 'GB GG GS IM JE',
  ILS: 'IL PS',
  MAD: 'EH MA',
  NOK: 'BV NO SJ',
  NZD: 'CK NU NZ PN TK',
  USD: 'AS BQ EC FM GU IO MH MP PR PW SV TC TL UM US VG VI ZW',
  XAF: 'CF CG CM GA GQ TD',
  XCD: 'AG AI DM GD KN LC MS VC',
  XOF: 'BF BJ CI GW ML NE SN TG',
  XPF: 'NC PF WF',
};

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ...wordsIn(OWN_CURRENCIES).map((currency) => [currency.slice(0, 2), currency] as const),
  ...Object.entries(SHARED_CURRENCIES).flatMap(([currency, countries]) =>
    wordsIn(countries).map((country) => [country, currency] as const),
  ),
]);

/**
 * Fields of profiles about what the law of these countries forbids. Declawing: Article 10 of the European Convention
 * for the Protection of Pet Animals (ETS 125) in its 26 states, such as Germany (also Tierschutzgesetz, section 6),
 * Austria (also Tierschutzgesetz, section 7) and Switzerland; section 5 of the Animal Welfare Act 2006 and its equals
 * in the United Kingdom; section 16 of the Animal Health and Welfare Act 2013 in Ireland.
 */
const FORBIDDEN = {
  isDeclawed: 'AD AT AZ BE BG CH CY CZ DE DK ES FI FR GB GR IE IT LT LU LV NL NO PT RO RS SE TR UA',
} as const;

/**
 * The countries in which pets are weighed in pounds: the United States with its territories, Liberia and Myanmar, which
 * have not gone metric. In the United Kingdom, people are weighed in stones, but pets in kilograms, as their medicines
 * are dosed.
 */
const POUNDS = 'AS GU LR MM MP PR UM US VI';

/** A field of profiles that some countries do not ask for. */
export type UnaskedField = keyof typeof FORBIDDEN;

/** All countries that have a currency. */
export const COUNTRIES: readonly string[] = [...CURRENCIES.keys()].toSorted();

/** @param code in capital letters */
export function isCountry(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Undefined for a country that only a later version knows. */
export function currencyOf(country: string): string | undefined {
  return CURRENCIES.get(country);
}

export function weighsInPounds(country: string): boolean {
  return wordsIn(POUNDS).includes(country);
}

/**
 * The locale in which people of a country write numbers and dates in this language: `en-US` has the month first,
 * `en-GB` and `en-DE` the day. Where English has no form of its own, such as in Mexico, it is the international one.
 */
export function localeIn(language: string, country: string): string {
  const locale = `${language}-${country}`;
  const isKnown = new Intl.DateTimeFormat(locale).resolvedOptions().locale === locale;
  return isKnown || language !== 'en' ? locale : 'en-001';
}

/** The settings of pages that depend on the country. */
export function habitsIn(country: string | undefined): { unasked?: readonly UnaskedField[]; weighsInPounds?: true } {
  if (country === undefined) return {};
  const unasked = unaskedIn(country);
  return { ...(unasked.length > 0 && { unasked }), ...(weighsInPounds(country) && { weighsInPounds: true }) };
}

/** The fields that are neither asked nor shown in a country. Their values stay stored. */
function unaskedIn(country: string): readonly UnaskedField[] {
  const fields = Object.keys(FORBIDDEN) as UnaskedField[];
  return fields.filter((field) => wordsIn(FORBIDDEN[field]).includes(country));
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/);
}
