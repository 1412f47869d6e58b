/* Stories that other programs store as HTML, as Markdown. HTML in a story is shown as text, never executed. */

const TAG_NAMES =
  'p|br|div|span|b|strong|i|em|u|a|ul|ol|li|h[1-6]|font|img|table|tbody|tr|td|th|blockquote|script|style|head|title|html|body';

/** Tags that stories have, and entities. A text with other angle brackets is none. */
const HTML = new RegExp(
  `<\\/?(?:${TAG_NAMES})(?:\\s[^<>]{0,2000})?\\/?>|&(?:[a-z]{2,8}|#\\d{2,6}|#x[\\da-f]{2,5});`,
  'i',
);

const TOKEN = /<!--|-->|<(\/?)([a-z][a-z\d]{0,9})(?:[\s/][^<>]{0,2000})?>|&(#?\w{1,8});/gi;

const ENTITIES = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    szlig: 'ß',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    eacute: 'é',
    egrave: 'è',
    ecirc: 'ê',
    agrave: 'à',
    ccedil: 'ç',
    ntilde: 'ñ',
    rsquo: '’',
    lsquo: '‘',
    sbquo: '‚',
    rdquo: '”',
    ldquo: '“',
    bdquo: '„',
    ndash: '–',
    mdash: '—',
    hellip: '…',
    bull: '•',
    middot: '·',
    deg: '°',
    euro: '€',
    pound: '£',
    cent: '¢',
    frac12: '½',
    frac14: '¼',
    copy: '©',
    reg: '®',
    trade: '™',
    hearts: '♥',
    times: '×',
    iexcl: '¡',
    zwj: '',
    shy: '',
  }),
);

const MARKS: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*' };
const PARAGRAPH = /^(?:p|div|ul|ol|table|blockquote|h[1-6])$/i;
const WITHOUT_TEXT = /^(?:script|style|head|title)$/i;

export function isHtml(text: string): boolean {
  return HTML.test(text);
}

/** The text of HTML, with paragraphs, line breaks, lists and emphasis. */
export function textOfHtml(html: string): string {
  // Line breaks are text where nothing else marks paragraphs.
  const source = /<(?:p|br|div)\b/i.test(html) ? html.replaceAll(/\s+/g, ' ') : html;
  let [text, place, hidden] = ['', 0, 0];
  for (const { index, 0: token, 1: slash = '', 2: tag = '', 3: entity } of source.matchAll(TOKEN)) {
    if (hidden === 0) text += source.slice(place, index);
    place = index + token.length;
    if (token === '<!--' || (WITHOUT_TEXT.test(tag) && slash === '')) hidden++;
    else if (token === '-->' || WITHOUT_TEXT.test(tag)) hidden = Math.max(0, hidden - 1);
    else if (hidden === 0)
      text += entity === undefined ? markOf(tag.toLowerCase(), slash !== '') : charactersOf(entity, token);
  }
  if (hidden === 0) text += source.slice(place);
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replaceAll('****', '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function markOf(tag: string, isEnd: boolean): string {
  if (PARAGRAPH.test(tag)) return '\n\n';
  if (tag === 'br' || tag === 'tr') return isEnd ? '' : '\n';
  if (tag === 'li') return isEnd ? '' : '\n- ';
  return MARKS[tag] ?? '';
}

function charactersOf(entity: string, token: string): string {
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  if (!entity.startsWith('#')) return ENTITIES.get(entity) ?? token;
  return Number.isInteger(code) && code > 31 && code < 0x11_00_00 ? String.fromCodePoint(code) : ' ';
}
