/** The machine's user data is wrong: a retry cannot help. */
export class InvalidUserData extends Error {
  override readonly name = 'Refused';
}
