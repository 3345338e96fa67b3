import { describe, expect, test } from 'vitest';
import { KubeError } from '../../kube/client.ts';
import { refusing, unlessForbidden } from './refusal.ts';

const WORDS = 'Metal3DataClaim.infrastructure.cluster.x-k8s.io "m3m" is invalid: spec.template.name: must be set';
const DOING = 'POST /apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/metal/metal3dataclaims';
const refused = (message = WORDS): KubeError => new KubeError(DOING, 422, { reason: 'Invalid', message });

describe('a refusal of the API server', () => {
  test('is told in its own words, without method, path and status of the request', async () => {
    await expect(refusing(() => Promise.reject(refused()))).rejects.toMatchObject({
      type: 'ApiServerRefused',
      nonRetryable: true,
      message: WORDS,
    });
    expect(await unlessForbidden(() => Promise.reject(refused()))).toBe(WORDS);
  });
  test.each([
    [401, 'Unauthorized'],
    [409, 'the object has been modified'],
    [429, 'too many requests'],
    [500, 'etcd is away'],
  ])('that may pass is tried again: %i %s', async (status, message) => {
    const error = new KubeError(DOING, status, { message });
    await expect(refusing(() => Promise.reject(error))).rejects.toBe(error);
    await expect(unlessForbidden(() => Promise.reject(error))).rejects.toBe(error);
  });
  test('because a right is missing is told, and is no policy', async () => {
    const error = new KubeError(DOING, 403, { message: 'User "temper" cannot patch resource "baremetalhosts"' });
    await expect(refusing(() => Promise.reject(error))).rejects.toMatchObject({ type: 'ApiServerRefused' });
    await expect(unlessForbidden(() => Promise.reject(error))).rejects.toBe(error);
  });
  test('without words is told by its status', async () => {
    await expect(refusing(() => Promise.reject(refused('')))).rejects.toMatchObject({
      message: 'the API server answers with status 422',
    });
  });
});
