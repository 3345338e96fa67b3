import { expect, vi } from 'vitest';
import { nodePath } from '../../../../kube/paths.ts';
import { type AnyLab, getHost, hostThat } from '../hosts.ts';
import {
  aNode,
  create,
  expectGone,
  expectToShow,
  expectUpToDate,
  get,
  ownedBy,
  PATIENCE,
  patch,
  remove,
} from '../machines.ts';

/** Remediations of the machines of hosts; the test is their MachineHealthCheck and their kubelet. */
export interface Remediations {
  /** The machine of the host, which is provisioned, runs as a Node. */
  readonly runAsNode: (host: string) => Promise<void>;
  /** Has the machine remediated. */
  readonly begin: (host: string, annotations?: object) => Promise<void>;
  /** Resolves when the host is on after one attempt, its Node is as it was, and the remediation has ended. */
  readonly succeed: (host: string) => Promise<void>;
  /** Resolves when the host is on, and no annotation keeps it off. */
  readonly isOn: (host: string) => Promise<void>;
  /** Deletes the remediation, and then the Node. */
  readonly end: (host: string) => Promise<void>;
}

const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service' };

export function createRemediations(lab: () => AnyLab, machineOf: (host: string) => string): Remediations {
  const isOn: Remediations['isOn'] = async (host) => {
    await hostThat(
      lab(),
      host,
      'on again',
      ({ metadata, status }) =>
        status.poweredOn && !Object.keys(metadata.annotations).some((key) => key.startsWith('reboot.metal3.io')),
    );
  };
  const end: Remediations['end'] = async (host) => {
    const name = machineOf(host);
    await remove(lab(), 'metal3Remediation', name);
    await expectGone(lab(), 'metal3Remediation', name);
    await isOn(host);
    await lab().kube.request({ method: 'DELETE', path: nodePath(name) });
  };
  return {
    async runAsNode(host) {
      const name = machineOf(host);
      await aNode(lab(), name, { 'metal3.io/uuid': (await getHost(lab(), host))?.metadata.uid ?? '', rack: '7' });
      await patch(lab(), 'machine', name, { status: { nodeRef: { name } } }, '/status');
      await expectToShow(lab(), 'metal3Machine', name, { status: { initialization: { provisioned: true } } });
      await expectUpToDate(lab(), 'metal3Machine', name);
    },
    async begin(host, annotations = {}) {
      const name = machineOf(host);
      const owner = await get(lab(), 'machine', name);
      await create(lab(), 'metal3Remediation', name, {
        metadata: { annotations, ownerReferences: owner === undefined ? [] : [ownedBy('machine', owner)] },
        spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 3_600 } },
      });
    },
    async succeed(host) {
      const name = machineOf(host);
      await expectToShow(lab(), 'metal3Remediation', name, { status: { phase: 'Waiting' } });
      await isOn(host);
      const tainted = {
        spec: { taints: expect.arrayContaining([expect.objectContaining(OUT_OF_SERVICE)]) as unknown },
      };
      await vi.waitFor(async () => expect(await lab().kube.find(nodePath(name))).not.toMatchObject(tainted), PATIENCE);
      await end(host);
    },
    isOn,
    end,
  };
}
