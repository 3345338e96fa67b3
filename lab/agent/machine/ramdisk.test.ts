import { describe, expect, test } from 'vitest';
import { BOOT_ISO, ramdiskOn } from './ramdisk.ts';

describe('a medium', () => {
  test('of the lab boots an agent that has to ask for its token', () => {
    expect(ramdiskOn(BOOT_ISO)).toEqual({});
  });

  test('which Ironic built tells token and purpose', () => {
    const work = Buffer.from('linux /vmlinuz ipa-agent-token=abc-_1 ipa-api-url=x');
    expect(ramdiskOn(work)).toEqual({ token: 'abc-_1', purpose: 'work' });
    const inspection = Buffer.concat([work, Buffer.from(' ipa-inspection-callback-url=y')]);
    expect(ramdiskOn(inspection)).toEqual({ token: 'abc-_1', purpose: 'inspection' });
  });

  test('with anything else on it boots no agent', () => {
    expect(ramdiskOn(Buffer.from('a live system'))).toBeUndefined();
  });
});
