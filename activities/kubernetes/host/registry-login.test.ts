import { describe, expect, test } from 'vitest';
import { readSecretObject, type Secret } from '../../../kube/objects/secret.ts';
import { cpuTimeOf } from '../../../test/builders/cpu-time.ts';
import { registryLogin } from './registry-login.ts';

const JSON_TYPE = 'kubernetes.io/dockerconfigjson';
const OLD_TYPE = 'kubernetes.io/dockercfg';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const aSecret = (type: string, data: Readonly<Record<string, string>>): Secret =>
  readSecretObject({
    metadata: { name: 'pull', namespace: 'metal', resourceVersion: '1' },
    type,
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  });
const config = (auths: object): Secret => aSecret(JSON_TYPE, { '.dockerconfigjson': JSON.stringify({ auths }) });

const LOGIN = { username: 'me', password: 'pa:ss' };
const HUB = 'https://index.docker.io/v1/';

describe('the login for a registry', () => {
  test.each<[string, Secret, string, string]>([
    ['in plain text', config({ 'quay.io': LOGIN }), 'oci://quay.io/os:1', 'me:pa:ss'],
    ['encoded', config({ 'quay.io': { auth: base64('me:secret') } }), 'oci://quay.io/os:1', 'me:secret'],
    [
      'in plain text rather than encoded',
      config({ 'quay.io': { ...LOGIN, auth: base64('x:y') } }),
      'oci://quay.io/os',
      'me:pa:ss',
    ],
    [
      'encoded where the plain one is not complete',
      config({ 'quay.io': { username: 'me', auth: base64('x:y') } }),
      'oci://quay.io/os',
      'x:y',
    ],
    ['that is a token', config({ 'quay.io': { ...LOGIN, identitytoken: 'tok' } }), 'oci://quay.io/os', ':tok'],
    [
      'with a port',
      config({ 'quay.io:5000': LOGIN, 'quay.io': { auth: base64('x:y') } }),
      'oci://quay.io:5000/os',
      'me:pa:ss',
    ],
    ['whatever the case of the scheme', config({ 'quay.io': LOGIN }), 'OCI://quay.io/os', 'me:pa:ss'],
    ['of Docker, by its short name', config({ [HUB]: LOGIN }), 'oci://docker.io/library/os', 'me:pa:ss'],
    ['of Docker, by that of its index', config({ [HUB]: LOGIN }), 'oci://index.docker.io/library/os', 'me:pa:ss'],
    ['of Docker, by that of its server', config({ [HUB]: LOGIN }), 'oci://registry-1.docker.io/library/os', 'me:pa:ss'],
    [
      'in the old format',
      aSecret(OLD_TYPE, { '.dockercfg': JSON.stringify({ 'quay.io': LOGIN }) }),
      'oci://quay.io/os',
      'me:pa:ss',
    ],
  ])('is found %s', (_, secret, url, login) => {
    expect(registryLogin(secret, url)).toEqual({ kind: 'ok', login });
  });

  test.each<[string, Secret, string]>([
    ['the registry is not in it', config({ 'ghcr.io': LOGIN }), 'registry quay.io not found in auth config'],
    [
      'Docker’s is there under a name Docker does not look for',
      config({ 'docker.io': LOGIN }),
      'registry quay.io not found in auth config',
    ],
    ['there is nothing of use under its name', config({ 'quay.io': {} }), 'registry quay.io not found in auth config'],
    [
      'it has no such key',
      aSecret(JSON_TYPE, { other: '{}' }),
      'secret does not contain .dockerconfigjson or .dockercfg key',
    ],
    ['it is no JSON', aSecret(JSON_TYPE, { '.dockerconfigjson': '{"canary' }), 'failed to parse dockerconfigjson'],
    ['the old format is no JSON', aSecret(OLD_TYPE, { '.dockercfg': 'canary' }), 'failed to parse dockercfg'],
    ['it holds something else', config({ 'quay.io': 'canary' }), 'failed to parse dockerconfigjson'],
    [
      'what is encoded is no login',
      config({ 'quay.io': { auth: base64('canary') } }),
      "failed to get credentials for registry quay.io: 'auth' is not base64 of user:password",
    ],
    [
      'what is encoded is not',
      config({ 'quay.io': { auth: '!' } }),
      "failed to get credentials for registry quay.io: 'auth' is not base64 of user:password",
    ],
  ])('is missed with words, an Event and no quote when %s', (_, secret, problem) => {
    expect(registryLogin(secret, 'oci://quay.io/os')).toEqual({
      kind: 'invalid',
      message: `failed to extract credentials from secret "pull": ${problem}`,
      warning: {
        reason: 'ImageAuthParseError',
        message: `Failed to extract credentials from secret "pull": ${problem}`,
      },
    });
  });

  test('is not looked for in a Secret of another type', () => {
    expect(registryLogin(aSecret('Opaque', { '.dockerconfigjson': '{}' }), 'oci://quay.io/os')).toEqual({
      kind: 'invalid',
      message:
        'secret "pull" has unsupported type "Opaque" (expected kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg)',
      warning: { reason: 'ImageAuthFormatUnsupported', message: 'Secret "pull" has unsupported type "Opaque"' },
    });
  });

  const loginOf = (text: string): ReturnType<typeof registryLogin> =>
    registryLogin(aSecret(JSON_TYPE, { '.dockerconfigjson': text }), 'oci://quay.io/os');

  test.each([
    ['256 KiB', JSON.stringify({ auths: { 'quay.io': LOGIN }, more: 'x'.repeat(300_000) }), '262144 characters'],
    ['8 levels', `{"auths":${'['.repeat(100_000)}`, '8 levels'],
    ['10,000 values', `{"auths":{${'"a":{},'.repeat(20_000)}"b":{}}}`, '10000 values'],
  ])('is not read beyond %s', (_, text, limit) => {
    expect(loginOf(text)).toMatchObject({
      kind: 'invalid',
      message: `failed to extract credentials from secret "pull": beyond the bound of the registry login: more than ${limit}`,
    });
  });

  test.each([
    ['registries', `{"auths":{${Array.from({ length: 3_200 }, (_, at) => `"r${at}":{}`).join(',')}}}`],
    ['one long login', JSON.stringify({ auths: { 'quay.io': { auth: 'a'.repeat(250_000) } } })],
    ['lists in lists', '['.repeat(1_000_000)],
  ])('takes milliseconds of its thread at most when it is made of %s', (_, text) => {
    expect(cpuTimeOf(() => loginOf(text))).toBeLessThan(240);
  });
});
