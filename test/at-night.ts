/** Set by `npm run test:nightly`. */
export const IS_NIGHT = process.env['TEMPER_NIGHT'] === 'true';

/**
 * The first line of a test that only `npm run test:nightly` plays to its end. `byDay` is the path of the test file with
 * a smaller test of the same behaviour. `npm test` prints it as the reason why this test is skipped.
 */
export function atNight(skip: (reason: string) => never, byDay: string): void {
  if (!IS_NIGHT) skip(`for npm run test:nightly; by day: ${byDay}`);
}
