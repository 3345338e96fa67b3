import type { SecretText } from '../../activities/host-data.ts';

/** For tests: a text as it was read from a user's Secret. */
export const aSecretText = (text: string, more: Partial<SecretText> = {}): SecretText => ({
  namespace: 'metal',
  secret: 'net',
  key: 'networkData',
  text,
  version: '8',
  ...more,
});
