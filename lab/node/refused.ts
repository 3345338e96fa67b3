/** The machine's user data is wrong: a retry cannot help. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
