// The title of a pdf, if its author gave one: programs write others, which would say something wrong with every passage.

/** What stands there if nobody gave one. */
const NONE =
  /^[^\p{L}\p{N}]*(untitled( document| presentation)?|anonymous|unspecified|no title|title|(un)?benannt|ohne titel|sans titre|sin t[ií]tulo|senza titolo|powerpoint[- ]pr\S+|presentation|document|dokument|slide|folie|about:blank|print|pdf)[^\p{L}\p{N}]*(\d+[^\p{L}\p{N}]*)?$/iu;
/** How printers of Office name what they print. */
const PROGRAM = /^(microsoft |ms )?(office )?(word|powerpoint|excel|outlook|publisher|visio) - /i;
/** Of files that others were made from. */
const EXTENSION = /\.(docx?|dotx?|odt|rtf|txt|pptx?|odp|xlsx?|ods|pages|key|indd|qxp|qxd|dvi|tex|ps|eps|pdf|html?|fm|pub|vsdx?|ai|pmd|p65)$/i;

export function pdfTitle(given: unknown): string {
  if (typeof given !== 'string') return '';
  const title = given.trim().replace(PROGRAM, '').replace(EXTENSION, '');
  return NONE.test(title) ? '' : title;
}
