import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createCodec, encryptedFor } from './codec.ts';
import { type EncryptionKeys, readKeyText } from './keys.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const [first, second] = [newKey(), newKey()];
const OLD = readKeyText(`old:${first}`);
const ROTATED = readKeyText(`new:${second},old:${first}`);
const CANARY = 'canary-2f6b';
const HOST = { type: 'workflow', namespace: 'metal', workflowId: 'baremetalhost/metal/node-1' } as const;

const codecOf = (keys: EncryptionKeys) => createCodec(() => keys);
const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: Payload | undefined): unknown => payload && defaultPayloadConverter.fromPayload(payload);
async function encrypted(value: unknown, keys = OLD): Promise<Payload> {
  const [payload] = await codecOf(keys).encode([payloadOf(value)], HOST);
  if (payload === undefined) throw new Error('nothing was encoded');
  return payload;
}
const decrypted = async (payload: Payload, keys = OLD): Promise<unknown> => {
  const [decoded] = await codecOf(keys).decode([payload]);
  return decoded === payload ? 'as it came' : valueOf(decoded);
};
const metadataOf = ({ metadata }: Payload): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));

describe('a payload', () => {
  test.each([
    ['an object', { canary: CANARY }],
    ['a text', CANARY],
    ['null', null],
    ['bytes', new Uint8Array([1, 2, 3])],
  ])('of %s is the same after encryption and decryption', async (_, value) => {
    expect(await decrypted(await encrypted(value))).toEqual(value);
  });

  test('shows its key and its workflow, and nothing of its content', async () => {
    const payload = await encrypted({ canary: CANARY });
    expect(metadataOf(payload)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-cipher': 'aes-256-gcm',
      'encryption-key-id': expect.stringMatching(/^old:[0-9a-f]{8}$/) as unknown,
      'workflow-id': HOST.workflowId,
    });
    expect(Buffer.from(payload.data ?? []).toString('latin1')).not.toContain(CANARY);
    expect(encryptedFor(payload)).toBe(HOST.workflowId);
  });

  test('looks different each time', async () => {
    expect((await encrypted(CANARY)).data).not.toEqual((await encrypted(CANARY)).data);
  });

  test('that is not encrypted is passed on, as `temporal workflow signal` sends it', async () => {
    expect(encryptedFor(payloadOf({ reason: 'by hand' }))).toBeUndefined();
    expect(await decrypted(payloadOf({ reason: 'by hand' }))).toBe('as it came');
  });

  test('of another codec is passed on', async () => {
    const foreign = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from(CANARY) };
    expect(await decrypted(foreign)).toBe('as it came');
  });

  /** With one byte that is another one, whatever it was. */
  const flipped = (data: Uint8Array): Uint8Array => data.map((byte, at) => (at === 20 ? byte ^ 0xff : byte));

  test.each([
    ['content', (payload: Payload) => ({ ...payload, data: flipped(payload.data ?? new Uint8Array()) })],
    ['end', (payload: Payload) => ({ ...payload, data: Buffer.from(payload.data ?? []).subarray(0, 9) })],
    [
      'workflow',
      (payload: Payload) => ({
        ...payload,
        metadata: { ...payload.metadata, 'workflow-id': Buffer.from('baremetalhost/other/node-1') },
      }),
    ],
  ])('whose %s was changed is passed on, so that it fails no workflow task', async (_, change) => {
    expect(await decrypted(change(await encrypted(CANARY)))).toBe('as it came');
  });
});

describe('keys that are rotated', () => {
  test('still decrypt what the old one encrypted, and encrypt with the new one', async () => {
    expect(await decrypted(await encrypted(CANARY, OLD), ROTATED)).toBe(CANARY);
    expect(metadataOf(await encrypted(CANARY, ROTATED))['encryption-key-id']).toMatch(/^new:/);
  });
  test('stop a workflow whose key is missing, by the key’s name', async () => {
    await expect(decrypted(await encrypted(CANARY, ROTATED), OLD)).rejects.toThrow(
      /encrypted with the key "new:[0-9a-f]{8}", which is not among the keys/,
    );
  });
  test('stop it too when another key took the name', async () => {
    await expect(decrypted(await encrypted(CANARY), readKeyText(`old:${second}`))).rejects.toThrow(
      /not among the keys/,
    );
  });
  test('encrypt nothing more after `none`, and still decrypt', async () => {
    const keys = readKeyText(`none,old:${first}`);
    expect(await decrypted(await encrypted(CANARY), keys)).toBe(CANARY);
    expect(encryptedFor(await encrypted(CANARY, keys))).toBeUndefined();
  });
});
