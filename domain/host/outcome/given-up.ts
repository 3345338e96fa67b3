import { causeIn } from './failure.ts';

/** In the error of a host whose image is not tried again. */
export const GIVEN_UP = /retry limit \(\d+\) reached/;

/** Upstream's text for an image that has failed as often as allowed, and the last failure after it, if it is known. */
export function givenUp(failures: number, limit: number, lastFailure: string | undefined): string {
  const text =
    `provisioning failed ${failures} times, retry limit (${limit}) reached; ` +
    'change image or reset provisioningFailCount to retry';
  return lastFailure === undefined ? text : `${text}; the last failure: ${causeIn(lastFailure)}`;
}
