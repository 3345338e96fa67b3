import { Document, Scalar, visit } from 'yaml';
import type { ContentMap } from '../../domain/data/content.ts';

/**
 * Texts that one of the two YAML versions reads differently without quotes, and that the library does not quote. It
 * writes blanks and line breaks alone as a block, of which the blanks are then read as indentation.
 */
const TO_QUOTE = /^(?:<<|=)$|^\s+$|[\t\u00A0\u2028\u2029\uFEFF]/;
/** Line breaks in YAML 1.1, and the byte order mark. The library does not escape them, even within quotes. */
const ESCAPED: Readonly<Record<string, string>> = { '\u2028': '\\L', '\u2029': '\\P', '\uFEFF': '\\uFEFF' };

/** Writes YAML that parsers of version 1.1 and of version 1.2 read as the same data. */
export function toYaml(content: ContentMap): string {
  const document = new Document(content, {
    version: '1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:merge'),
    // Also quotes texts that version 1.2 reads as another type.
    compat: 'core',
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && TO_QUOTE.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0, indentSeq: false, directives: false });
  return text.replaceAll(/[\u2028\u2029\uFEFF]/g, (char) => ESCAPED[char] ?? char);
}
