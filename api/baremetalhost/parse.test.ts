import { describe, expect, test } from 'vitest';
import { readVerdicts } from '../../test/verdicts/store.ts';
import { parseBareMetalHost } from './parse.ts';

const head = {
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'node-0', namespace: 'metal3' },
};

/** Every object the API server made of a manifest it accepted. */
const letThrough = readVerdicts('BareMetalHost').flatMap(({ name, part, body, isText, verdict }) => {
  if (!verdict.accepted) return [];
  const sent = (isText === true ? JSON.parse(String(body)) : body) as Record<string, unknown>;
  const object = verdict.becomes === 'as sent' ? sent : verdict.becomes;
  const spec = part === 'status' ? { online: true, automatedCleaningMode: 'metadata' } : { online: false };
  return [{ name, object: { ...head, spec, ...object } }];
});

describe('reading a host', () => {
  test('takes whatever the API server lets through, and loses none of it', () => {
    const read = letThrough.map(({ name, object }) => ({ name, parsed: parseBareMetalHost(object) }));

    expect(read.length).toBeGreaterThan(400);
    expect(read.filter(({ parsed }) => !parsed.ok)).toEqual([]);
    const hosts = read.map(({ parsed }) => parsed.ok && parsed.host);
    const expected = letThrough.map(({ object }) => ({
      ...object,
      spec: { automatedCleaningMode: 'metadata', ...object.spec },
    }));
    expect(hosts).toEqual(expected);
  });

  test('leaves out what it does not know', () => {
    const parsed = parseBareMetalHost({
      ...head,
      metadata: { ...head.metadata, managedFields: [], labels: { rack: '7' } },
      spec: { online: true, image: { url: 'http://images/i', later: 1 }, later: 1 },
      later: 1,
    });

    expect(parsed).toEqual({
      ok: true,
      host: {
        ...head,
        metadata: { ...head.metadata, labels: { rack: '7' } },
        spec: { online: true, automatedCleaningMode: 'metadata', image: { url: 'http://images/i' } },
      },
    });
  });

  test('takes a host without a spec for one that nobody wants on', () => {
    const parsed = parseBareMetalHost(head);

    expect(parsed).toEqual({ ok: true, host: { ...head, spec: { online: false, automatedCleaningMode: 'metadata' } } });
  });

  test('names the path of each field that is wrong', () => {
    const parsed = parseBareMetalHost({
      ...head,
      spec: { online: 'yes', raid: { hardwareRAIDVolumes: [{ level: '1' }, { level: '1', name: 'x'.repeat(65) }] } },
    });

    expect(parsed).toEqual({
      ok: false,
      problems: [
        'spec.online: Invalid input: expected boolean, received string',
        'spec.raid.hardwareRAIDVolumes[1].name: must have at most 64 characters',
      ],
    });
  });

  test.each([null, undefined, 'a host', 7, []])('refuses %j', (object) => {
    expect(parseBareMetalHost(object).ok).toBe(false);
  });
});
