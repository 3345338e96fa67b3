import { describe, expect, test } from 'vitest';
import { readVerdicts } from '../../test/verdicts/store.ts';
import { parseBareMetalHost } from './parse.ts';

const head = {
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'node-0', namespace: 'metal3' },
};

/** The objects that the API server made of the manifests it accepted. */
const letThrough = readVerdicts('BareMetalHost').flatMap(({ name, part, body, isText, verdict }) => {
  if (!verdict.accepted) return [];
  const sent = (isText === true ? JSON.parse(String(body)) : body) as Record<string, unknown>;
  const object = verdict.becomes === 'as sent' ? sent : verdict.becomes;
  const spec = part === 'status' ? { online: true, automatedCleaningMode: 'metadata' } : { online: false };
  return [{ name, object: { ...head, spec, ...object } }];
});

describe('reading a host', () => {
  test('accepts every host that the API server accepts, and loses nothing', () => {
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

  test('drops unknown fields', () => {
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

  test('reads a host without a spec as one that should be powered off', () => {
    const parsed = parseBareMetalHost(head);

    expect(parsed).toEqual({ ok: true, host: { ...head, spec: { online: false, automatedCleaningMode: 'metadata' } } });
  });

  test('names the path of each wrong field', () => {
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
