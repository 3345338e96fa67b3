/** What a machine was given is wrong: to try again cannot help. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
