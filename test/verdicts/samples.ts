import type { z } from 'zod';
import { ipAddress, ipSubnet, ipv4Address, ipv6Address } from '../../api/meta/ip-address.ts';
import { type StructuralSchema, structural } from '../../api/structural.ts';

interface PatternSamples {
  readonly good: string;
  readonly bad: readonly string[];
}

const MAC = { good: '00:1b:44:11:3a:b7', bad: ['00-1b-44-11-3a-b7', '00:1b:44:11:3a', '0g:1b:44:11:3a:b7', ''] };

const IPV4 = { good: '192.168.0.1', bad: ['192.168.0', '192.168.0.256', '192.168.0.01', '192.168.0.1/24', ''] };
const IPV6 = { good: '2001:db8::1', bad: ['2001:db8', '2001:db8::1::2', '2001:db8::12345', '2001:db8::1%eth0', ''] };
const SUBDOMAIN = { good: 'ipam.metal3.io', bad: ['Ipam.metal3.io', '-ipam', 'ipam.', 'ipam..io', ''] };

const patternOf = (schema: z.ZodType): string => structural(schema).pattern ?? '';

/** Texts that match a pattern, and texts that almost match. */
const PATTERNS: Readonly<Record<string, PatternSamples>> = {
  '[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}': MAC,
  '^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$': { ...MAC, bad: [...MAC.bad, '00:1b:44:11:3a:b7:00', ' 00:1b:44:11:3a:b7'] },
  '^[a-zA-Z0-9._-]+$': { good: 'eno1', bad: ['eno 1', 'eno1/2', ''] },
  '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$': { good: 'Because', bad: ['1st', 'not this', 'Because:', '_a'] },
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$': {
    good: 'Ready',
    bad: ['Ready-', '/Ready', 'Not.Lower/Ready', 'two words', ''],
  },
  '^[a-zA-Z][a-zA-Z0-9._-]*$': { good: 'eth0.5', bad: ['0eth', 'eth/0', 'eth 0', ''] },
  '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$': { good: 'IPPool', bad: ['1Pool', 'IPPool-', 'IP.Pool', ''] },
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$': SUBDOMAIN,
  [patternOf(ipv4Address())]: IPV4,
  [patternOf(ipv6Address())]: IPV6,
  [patternOf(ipAddress())]: { good: IPV6.good, bad: [...IPV4.bad, ...IPV6.bad] },
  [patternOf(ipSubnet())]: {
    good: '2001:db8::/64',
    bad: ['192.168.0.0/33', '192.168.0.0', '2001:db8::/129', '/24', ''],
  },
};

const NO_RFC3339_TIMES = [
  'yesterday',
  '2026-01-02',
  '2026-01-02 03:04:05',
  '2026-13-02T03:04:05Z',
  '2026-01-02T25:04:05Z',
  '',
];

function samplesOf(pattern: string): PatternSamples {
  const samples = PATTERNS[pattern];
  if (samples === undefined) throw new Error(`test/verdicts/samples.ts knows no texts for the pattern ${pattern}`);
  return samples;
}

export const badTexts = ({ pattern, format, enum: allowed }: StructuralSchema): readonly string[] => [
  ...(pattern === undefined ? [] : samplesOf(pattern).bad),
  ...(format === 'date-time' ? NO_RFC3339_TIMES : []),
  ...(format === 'uri' ? ['images', 'images/i.qcow2', 'http://images:port', '%'] : []),
  ...(allowed === undefined ? [] : ['no such value', `${String(allowed.at(-1))} `, '']).filter(
    (text) => allowed?.includes(text) !== true,
  ),
];

/** The smallest valid object: only required fields, each with the simplest value. */
export function minimal(schema: StructuralSchema): unknown {
  const { required = [], properties = {}, minProperties = 0 } = schema;
  const needed = required.length < minProperties ? Object.keys(properties).slice(0, minProperties) : required;
  return sample(schema, (name) => needed.includes(name), minimal);
}

/** An object with every field. */
export function full(schema: StructuralSchema): unknown {
  return sample(schema, () => true, full);
}

function sample(
  schema: StructuralSchema,
  isWanted: (name: string) => boolean,
  inner: (schema: StructuralSchema) => unknown,
): unknown {
  const { type, items, properties = {}, minItems = 1 } = schema;
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => isWanted(name))
        .map(([name, field]) => [name, inner(field)]),
    );
  if (type === 'array') return items === undefined ? [] : Array.from({ length: minItems }, () => inner(items));
  return scalar(schema);
}

function scalar({ type, format, pattern, minimum = 0, enum: allowed }: StructuralSchema): unknown {
  if (type === 'boolean') return true;
  if (type === 'integer') return minimum;
  if (type === 'number') return 2.5;
  if (allowed !== undefined) return allowed[0];
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  if (format === 'uri') return 'http://images/i.qcow2';
  return pattern === undefined ? 'some text' : samplesOf(pattern).good;
}
