import { FIXTURE_HARDWARE } from '../../../domain/fixture/hardware.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { createReflector } from '../../../kube/reflector.ts';
import { field, type SeenObject, seenObject } from '../watch-versions.ts';

const PAUSED = 'baremetalhost.metal3.io/paused';
const STATUS = 'baremetalhost.metal3.io/status';
const REBOOT = /^reboot\.metal3\.io(\/|$)/;

/**
 * Replaces baremetal-operator while stories are recorded: each host reaches its desired state at once. The hardware is
 * that of the fixture provisioner.
 */
export function liveAsHosts(kube: Kube, signal: AbortSignal): Promise<void> {
  const reflector = createReflector({
    kube,
    path: collectionPath(KINDS.host, undefined),
    keep: (json) => {
      const object = seenObject.parse(json);
      const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
      return { name, namespace, uid, resourceVersion, object };
    },
    onChange: (_key, now) => {
      const next = now === undefined ? undefined : nextOf(now.object);
      if (now === undefined || next === undefined) return;
      kube.patch(`${objectPath(KINDS.host, now)}/status`, { status: next }).catch(() => undefined);
    },
    onTrouble: () => undefined,
  });
  return reflector.run(signal);
}

/** The status of a host that has done what it is told; undefined: it has nothing to do. */
function nextOf(host: SeenObject): object | undefined {
  const { annotations = {} } = host.metadata;
  if (annotations[PAUSED] !== undefined) return undefined;
  const shown = host['status'];
  const given = annotations[STATUS];
  if (field(shown, 'provisioning') === undefined && given !== undefined) return JSON.parse(given) as object;
  const told = (name: string): unknown => field(host, 'spec', name);
  const isDeployed = told('image') !== undefined || told('customDeploy') !== undefined;
  const isOff = Object.keys(annotations).some((key) => REBOOT.test(key));
  const state =
    told('externallyProvisioned') === true ? 'externally provisioned' : isDeployed ? 'provisioned' : 'available';
  const poweredOn = told('online') === true && !isOff;
  const isDone = field(shown, 'provisioning', 'state') === state && field(shown, 'poweredOn') === poweredOn;
  return isDone
    ? undefined
    : {
        errorCount: 0,
        errorMessage: '',
        hardwareProfile: 'unknown',
        operationalStatus: 'OK',
        poweredOn,
        provisioning: { state, ID: 'node', image: told('image') ?? { url: '' } },
        hardware: FIXTURE_HARDWARE,
      };
}
