/** The headings of a page with what stands below each, up to the next one. Blocks of code have no headings. */
export interface Section {
  /** The id that GitHub gives the heading. */
  readonly id: string;
  readonly text: string;
}

const withoutBlocks = (text: string): string =>
  text.replaceAll(/```[^]*?```/g, (block) => block.replaceAll(/^#/gm, ' '));

export function sectionsOf(page: string): readonly Section[] {
  const headings = [...withoutBlocks(page).matchAll(/^#+ (.+)$/gm)];
  return headings.map(({ 0: line, 1: heading = '', index }, at) => ({
    id: idOf(heading),
    text: page.slice(index + line.length, headings[at + 1]?.index),
  }));
}

export const headingIds = (page: string): readonly string[] => sectionsOf(page).map(({ id }) => id);

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
