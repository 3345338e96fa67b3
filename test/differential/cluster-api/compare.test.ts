import { describe, expect, test } from 'vitest';
import { comparable } from './compare.ts';

/** A message of a condition, as it is compared. */
const compared = (message: string): unknown => {
  const { rests } = comparable({ refused: {}, rests: { 1: { 'Metal3Machine m-1': { status: { Ready: message } } } } });
  const status = rests['1']?.['Metal3Machine m-1']?.['status'] as { readonly Ready: unknown } | undefined;
  return status?.Ready;
};
const PATH = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1';
const repeated = (answer: string): string =>
  `False NotReady: waiting; Claim a host: requestHost: 3 attempts since 2026-01-01T00:00:00Z, last answer: ${answer}`;

describe('a request that is repeated', () => {
  test.each([
    `PATCH ${PATH}: 408 Request Timeout`,
    `PATCH ${PATH}: 409 Operation cannot be fulfilled: the object has been modified`,
    `GET ${PATH}: 429 too many requests, please try again later`,
    `GET ${PATH}: 500 etcdserver: request timed out`,
    `GET ${PATH}: 503 `,
    `GET ${PATH}: 504 Timeout: request did not complete`,
    `GET ${PATH}: The operation was aborted due to timeout`,
    `GET ${PATH}: connect ECONNREFUSED 127.0.0.1:6443`,
    'Deadline exceeded after 10.003s',
    'no answer',
  ])('is left out while the server is busy or does not answer: %j', (answer) => {
    expect(compared(repeated(answer))).toBe('False NotReady: waiting');
  });

  test.each([
    `PATCH ${PATH}: 400 json: cannot unmarshal string`,
    `GET ${PATH}: 401 Unauthorized`,
    `PATCH ${PATH}: 403 baremetalhosts is forbidden: User "temper" cannot patch resource "baremetalhosts"`,
    `GET ${PATH}: 404 page not found`,
    `PATCH ${PATH}: 422 BareMetalHost is invalid: spec.image.url: 500 is no URL`,
    "Cannot read properties of undefined (reading '503')",
  ])('is compared when the answer would stay the same: %j', (answer) => {
    expect(compared(repeated(answer))).toBe(repeated(answer));
  });

  test('is compared although the message says before it why no host was found', () => {
    const said = repeated(`GET ${PATH}: 403 forbidden`).replace(
      'waiting',
      'no available host found. 2 hosts: 1 taken; 1 busy',
    );
    expect(compared(said)).toBe(repeated(`GET ${PATH}: 403 forbidden`).replace('waiting', 'no available host found.'));
  });

  test('is left out alone: the lines after it are compared', () => {
    const said = `* Host: ${repeated(`GET ${PATH}: 503 `)}\n* Metal3DataReady: no address`;
    expect(compared(said)).toBe('* Host: False NotReady: waiting\n* Metal3DataReady: no address');
  });
});

test('why no host was found is left out', () => {
  expect(compared('False no available host found. 2 hosts: 1 taken; 1 busy')).toBe('False no available host found.');
  expect(compared('False no available host found. Requeuing')).toBe('False no available host found. Requeuing');
});
