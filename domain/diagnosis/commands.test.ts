import { describe, expect, test } from 'vitest';
import { examplesOf } from '../../test/builders/diagnoses/examples.ts';
import {
  aHealthyCluster,
  aHealthyHost,
  aHealthyMachine,
  aMachineOfMachineApi,
} from '../../test/builders/diagnoses/sights.ts';
import { nameIn, objectsIn } from '../../test/builders/objects-in-command.ts';
import { diagnose } from './diagnose.ts';
import type { Evidence } from './diagnosis.ts';
import type { Sight } from './sight.ts';
import { DIAGNOSES } from './table.ts';

/** A command names an object by its own kind, name and namespace, and only if the cause names it too. */

/** The example beside all objects that a chain can have, each with a name of its own. */
const inChain = ({ host = aHealthyHost, machine = aHealthyMachine, cluster = aHealthyCluster, ...rest }: Sight) => ({
  machineApi: aMachineOfMachineApi,
  ...rest,
  host,
  machine: { ...machine, node: machine.node && 'node-of-worker-1' },
  cluster,
});
type Chain = ReturnType<typeof inChain>;

/** `Kind namespace/name` of all objects of the chain, and of those that have a name from one of them. */
const objectsOf = ({
  host,
  machine,
  machineApi,
  cluster,
  candidates = [],
  missingSecrets = [],
}: Chain): readonly string[] =>
  [
    ['BareMetalHost', host.namespace, host.name],
    ['HardwareData', host.namespace, host.name],
    ['PreprovisioningImage', host.namespace, host.name],
    ['Secret', host.namespace, host.credentialsName],
    ['Secret', host.namespace, host.registrySecret],
    ...missingSecrets.map(({ name }) => ['Secret', host.namespace, name]),
    ['Metal3Machine', machine.namespace, machine.name],
    ['Machine', machine.namespace, machine.owner],
    ['BareMetalHost', machine.namespace, machine.host],
    [machineApi.kind, machineApi.namespace, machineApi.name],
    ...candidates.map(({ name }) => ['BareMetalHost', machine.namespace, name]),
    ['Cluster', cluster.namespace, cluster.name],
    ['Metal3Cluster', cluster.namespace, cluster.metal3Cluster],
    ['Secret', cluster.namespace, `${cluster.name}-kubeconfig`],
    ['run', 'approval-budgets', 'default'],
  ].map(([kind, namespace, name]) => `${kind} ${namespace}/${name}`);

const saidIn = (evidence: readonly Evidence[]): string =>
  evidence.flatMap(({ object, field, words }) => [object, field, words]).join('\n');

const examples = DIAGNOSES.flatMap((row) =>
  examplesOf(row).map((example, index) => [`${row.id} ${index + 1}`, row, example] as const),
);

describe('a command', () => {
  test.each(examples)('of %s names only objects that its cause names', (_, row, example) => {
    const chain = inChain(example);
    const [found] = diagnose(chain, [row]);
    if (found === undefined) throw new Error('the row does not recognise its example');
    const { cause, evidence, next, commands } = found;
    const namespace = row.of === 'temporal' ? '' : chain[row.of].namespace;
    const known = objectsOf(chain);
    // What the advice names must be an object of the chain: the name of another kind does not become right by saying it.
    const isNamed = (object: string): boolean =>
      nameIn(`${cause}\n${saidIn(evidence)}`, object, namespace) ||
      (known.includes(object) && nameIn(next, object, namespace));
    for (const command of commands)
      for (const object of objectsIn(command)) expect(isNamed(object), `${object} in: ${command}`).toBe(true);
  });

  test.each([
    ['kubectl -n metal delete machine.cluster.x-k8s.io worker-1', ['Machine metal/worker-1']],
    [
      'kubectl -n metal create secret generic a-bmc --from-literal=a=b -o yaml | kubectl apply -f -',
      ['Secret metal/a-bmc'],
    ],
    ["kubectl -n metal annotate --overwrite bmh a temper/approval-window='0 22 * * 6 4h'", ['BareMetalHost metal/a']],
    ['kubectl -n metal annotate namespace/metal temper/approval-window-', ['Namespace metal']],
    [`kubectl -n metal patch cluster prod --type merge -p '{"spec":{}}'`, ['Cluster metal/prod']],
    ['kubectl -n metal events --for bmh/a', ['BareMetalHost metal/a']],
    ['kubectl get bmh -A -o wide', []],
    ['npx temper explain cluster prod -n metal', ['Cluster metal/prod']],
    ['temporal workflow describe -w baremetalhost/metal/a', ['BareMetalHost metal/a']],
    [
      'temporal workflow query --workflow-id approval-budgets/default --type lockView',
      ['run approval-budgets/default'],
    ],
    ['baremetal node show 1be2 --fields reservation', ['node 1be2']],
    ['baremetal node unset --protected 1be2', ['node 1be2']],
  ])('is read as kubectl and the others read it: %s', (command, objects) => {
    expect(objectsIn(command)).toEqual(objects);
  });

  test.each([
    ['kubectl -n metal delete machine worker-1', 'machine'],
    ['kubectl -n metal get ippools', 'ippools'],
    ['rm -rf images', 'rm'],
  ])('is refused where its kind is ambiguous or its program unknown: %s', (command, word) => {
    expect(() => objectsIn(command)).toThrow(word);
  });

  test.each([
    ['Machine metal/worker-1', 'Delete the Machine worker-1.', true],
    ['Machine metal/worker-1', 'Delete the Machine metal/worker-1.', true],
    ['Machine metal/worker-1', 'Delete the Machine other/worker-1.', false],
    ['Machine other/worker-1', 'Delete the Machine worker-1.', false],
    ['Machine metal/worker-1', 'Delete the Metal3Machine worker-1.', false],
    ['Machine metal/worker-1', 'Delete the Machine worker-1-x7k2p.', false],
    ['Secret metal/pull', 'auth secret "pull" not found', true],
    ['Namespace metal', 'of Namespace metal, which opens', true],
    ['Namespace metal', 'of Cluster metal/prod, which opens', false],
  ])('%s is named by: %s %s', (object, text, isNamed) => {
    expect(nameIn(text, object, 'metal')).toBe(isNamed);
  });
});
