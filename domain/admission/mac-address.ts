/**
 * Six, eight or twenty bytes: pairs of hexadecimal digits separated by colons or dashes, or groups of four separated by
 * dots.
 */
const FORMS = [6, 8, 20].flatMap((bytes) => [
  new RegExp(`^[0-9a-f]{2}(?::[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{2}(?:-[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${bytes / 2 - 1}}$`, 'i'),
]);

/** The schema accepts a MAC address anywhere in a text; this requires that the text is nothing else. */
export const macProblem = (text: string): string | undefined =>
  FORMS.some((form) => form.test(text)) ? undefined : `address ${text}: invalid MAC address`;
