import { expect, test } from 'vitest';
import { aSecretText } from '../../test/builders/secret-text.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import { DocumentError, readDocument, readNetworkData, TooManyTexts, textsAhead } from './users-document.ts';

const failureOf = (reading: Promise<unknown>): Promise<unknown> =>
  reading.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a document is read from the text of a Secret, and none from an empty one', async () => {
  expect(await readDocument(aSecretText('gpu: yes'))).toEqual({ gpu: true });
  for (const text of ['', ' \n', '# canary', 'null']) expect(await readDocument(aSecretText(text))).toBeUndefined();
  expect(await readDocument(undefined)).toBeUndefined();
});

test('of one namespace thirty texts are read ahead at a time, so that operations of others find a place', async () => {
  const { signal } = new AbortController();
  const { ahead } = textsAhead(signal);
  const reading = Array.from({ length: 30 }, (_, at) => ahead('many', `a: ${at}`));
  await expect(ahead('many', 'a: 30')).rejects.toBeInstanceOf(TooManyTexts);
  expect(await ahead('another', 'a: 0')).toMatchObject({ kind: 'data' });
  await Promise.all(reading);
  expect(await ahead('many', 'a: 30')).toMatchObject({ kind: 'data' });
});

test('a document that is larger than a Secret is refused', async () => {
  const error = await failureOf(readDocument(aSecretText('ä'.repeat(DOCUMENT_LIMITS.bytes / 2 + 1))));
  expect(String(error)).toBe('DocumentError: Secret net, key networkData: it has more than 1048576 bytes');
});

test('an error names the Secret, its key and its version, and nothing of its content', async () => {
  const error = await failureOf(readDocument(aSecretText('a: 1\nb: @canary', { secret: 'meta', key: 'value' })));
  expect(String(error)).toBe(
    'DocumentError: Secret meta, key value, line 2, column 4: a text that begins like this needs quotes',
  );
  expect(error).toMatchObject({ wrongSecret: { name: 'meta', resourceVersion: '8' } });
});

test.each(['links: []', 'networks: []\ninterfaces: []', 'from: elsewhere', ''])(
  'network data is not taken for nmstate: %j',
  async (text) => {
    expect(await failureOf(readNetworkData(aSecretText(text)))).toBeUndefined();
  },
);

test.each(['interfaces: []', 'dns-resolver: {}', 'desiredState: {interfaces: []}'])(
  'nmstate is not taken for network data: %s',
  async (text) => {
    expect(await failureOf(readNetworkData(aSecretText(text)))).toBeInstanceOf(DocumentError);
  },
);

test('the keys of a Secret that nobody reads are named, of many the first ones', async () => {
  const unreadKeys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(String(await failureOf(readNetworkData(aSecretText('', { unreadKeys }))))).toMatch(
    /nobody reads a, b, c, d, e and others$/,
  );
});
