import { expect, test } from 'vitest';
import { aHostFact } from '../../test/builders/machine.ts';
import { WISH } from '../../test/builders/machine-api.ts';
import { OPENSHIFT_API } from '../machine-api/names.ts';
import { scaleToHosts } from './scale.ts';

const consumedBy = (name: string, apiVersion = OPENSHIFT_API, kind = 'Machine') =>
  aHostFact({ name: `host-of-${name}`, consumer: { apiVersion, kind, name, namespace: 'metal' } });
const MACHINES: Readonly<Record<string, boolean>> = { ours: true, others: false };
const scale = (hosts: ReturnType<typeof aHostFact>[], wish: object = WISH) =>
  scaleToHosts({ hosts, wish, isOurs: ({ name }) => MACHINES[name], api: OPENSHIFT_API });
const rack = { hostSelector: { matchLabels: { rack: '7' } } };

test.each([
  ['each free host counts', [aHostFact(), aHostFact()], WISH, { replicas: 2 }],
  [
    'only hosts that the template selects count',
    [aHostFact(), aHostFact({ labels: { rack: '7' } })],
    rack,
    { replicas: 1 },
  ],
  ['hosts of its Machines count, whatever the template selects', [consumedBy('ours')], rack, { replicas: 1 }],
  ['hosts of other Machines do not count', [consumedBy('others'), aHostFact()], WISH, { replicas: 1 }],
  [
    'hosts of other kinds do not count',
    [consumedBy('x', 'infrastructure.cluster.x-k8s.io/v1beta2', 'Metal3Machine')],
    WISH,
    { replicas: 0 },
  ],
  [
    'a host whose Machine does not exist suspends',
    [aHostFact(), consumedBy('gone')],
    WISH,
    { suspended: 'host host-of-gone has a consumer that does not exist: Machine gone' },
  ],
  [
    'a template that can not be read suspends',
    [aHostFact()],
    { invalid: 'ProviderSpec is missing' },
    { suspended: 'ProviderSpec is missing' },
  ],
  [
    'a selector that can not be read suspends',
    [],
    { hostSelector: { matchExpressions: [{ key: 'rack', operator: 'In', values: [] }] } },
    { suspended: "hostSelector: values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty" },
  ],
])('%s', (_, hosts, wish, expected) => {
  expect(scale(hosts, wish)).toEqual(expected);
});
