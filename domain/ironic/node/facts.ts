import { withoutUrlSecrets } from '../../urls/hidden.ts';
import type { IronicNode } from './node.ts';
import type { NodeStateJson } from './node-json.ts';

/** Ironic sometimes stores complete tracebacks, which are too long for a workflow's history. */
const LONGEST_ERROR = 2_000;

const POWER: Readonly<Record<string, boolean>> = { 'power on': true, 'power off': false };

export function nodeFacts(node: NodeStateJson): IronicNode {
  const lastError = withoutUrlSecrets(node.last_error ?? '');
  return {
    id: node.uuid,
    state: node.provision_state,
    targetState: node.target_provision_state,
    poweredOn: POWER[node.power_state ?? ''] ?? null,
    powerPending: node.target_power_state !== null && node.target_power_state !== '',
    lastError: lastError === '' ? null : shortened(lastError),
    maintenance: node.maintenance,
    fault: node.fault === '' ? null : node.fault,
    health: node.health === '' ? null : node.health,
    ...(node.reservation && { locked: true as const }),
  };
}

const shortened = (text: string): string => (text.length <= LONGEST_ERROR ? text : `${text.slice(0, LONGEST_ERROR)} …`);

/** The step that Ironic performs on the node, such as `deploy.write_image`; undefined: none, or an unknown one. */
export function stepOf({ clean_step: clean, deploy_step: deploy }: NodeStateJson): string | undefined {
  const running = [deploy, clean].find((each) => Boolean(each?.interface) && Boolean(each?.step));
  return running ? `${running.interface}.${running.step}` : undefined;
}
