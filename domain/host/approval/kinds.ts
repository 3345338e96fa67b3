/** What can be done to a server that people may want to approve first. */
export const APPROVAL_KINDS = ['erase', 'power-off', 'firmware'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

const isKind = (word: string): word is ApprovalKind => (APPROVAL_KINDS as readonly string[]).includes(word);

/**
 * The kinds in the annotation `temper/approval`: names with commas between, or `all`. A text: what is wrong with it.
 */
export function approvalKinds(value: string): readonly ApprovalKind[] | string {
  const words = value.split(',').map((word) => word.trim());
  if (words.includes('all') && words.length === 1) return APPROVAL_KINDS;
  const unknown = words.find((word) => !isKind(word));
  return unknown === undefined
    ? words.filter(isKind)
    : `${JSON.stringify(unknown)} is none of ${[...APPROVAL_KINDS, 'all'].join(', ')}`;
}
