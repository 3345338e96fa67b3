/** Six, eight or twenty bytes: pairs of hexadecimal digits joined by colons or by dashes, or fours joined by dots. */
const FORMS = [6, 8, 20].flatMap((bytes) => [
  new RegExp(`^[0-9a-f]{2}(?::[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{2}(?:-[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${bytes / 2 - 1}}$`, 'i'),
]);

/** The schema finds a MAC address anywhere in a text; this asks for one and nothing else. */
export const macProblem = (text: string): string | undefined =>
  FORMS.some((form) => form.test(text)) ? undefined : `address ${text}: invalid MAC address`;
