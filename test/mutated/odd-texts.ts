import fc from 'fast-check';

/** Texts that people, scripts and attackers write into the wrong field. */
const ODD = [
  '',
  ' ',
  '\t\n',
  '.',
  '..',
  '../../../etc/passwd',
  '../configmaps/x',
  'a/b',
  'a%2Fb',
  '%',
  '%00',
  '?watch=true',
  '#',
  '\u0000',
  '\u2028',
  '\ud800',
  'ĦÉŁŁØ wörld',
  '漢字',
  '🦄'.repeat(64),
  '‮txet desrever',
  'null',
  'undefined',
  'true',
  '-1',
  '1e400',
  'NaN',
  '{"deleteAction":',
  '{}',
  '[]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '${jndi:ldap://x}',
  '{{ .Values.x }}',
  "'; DROP TABLE hosts; --",
  'a'.repeat(64),
  'a'.repeat(300),
  'ab'.repeat(5_000),
];

/** Other odd texts of at most ten thousand characters, because a host has many. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/** BMC addresses from valid to nonsense. */
export const bmcAddress: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'ipmi',
          'libvirt',
          'redfish',
          'redfish+http',
          'redfish-virtualmedia',
          'idrac-redfish',
          'ilo5-redfish',
        ),
        fc.oneof(fc.ipV4(), fc.domain()),
        fc.nat({ max: 65_535 }),
      )
      .map(([scheme, host, port]) => `${scheme}://${host}:${port}/redfish/v1/Systems/1`),
  },
  { weight: 1, arbitrary: fc.ipV6().map((address) => `redfish://[${address}]/redfish/v1/Systems/1`) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'redfish://',
      'redfish:',
      'redfish+https+http://x',
      '//',
      '://',
      '[::1',
      'ipmi://user:password@host',
      'ipmi://host:99999',
      'ipmi://host:-1',
      'test://anything?fail=inspect',
      'javascript:alert(1)',
      'redfish://host/%zz',
      'redfish://ho st/x',
    ),
  },
  { weight: 1, arbitrary: oddText },
);
