import { patched, uuid4 } from '@temporalio/workflow';
import type { HostClaimAnswer } from '../../activities/requests/request-host.ts';
import type {
  AssociateOrder,
  HostClaimOrder,
  MachineAction,
  MachineAnswer,
  NodeLinkAnswer,
} from '../../domain/machine/step.ts';
import { PATCHES } from '../patches.ts';
import { awaiting, bridge, hostRequests, kubernetes, workload } from '../proxies.ts';

/** Hosts that are tried before it is said that others were faster. */
const ATTEMPTS = 5;

/** Performs what a machine is to do next. */
export async function perform(action: MachineAction, summary: string): Promise<MachineAnswer> {
  switch (action.name) {
    case 'associate':
      return associate(action.order, summary);
    case 'block move':
      return kubernetes(summary).blockMove(action.order);
    case 'pause host':
      return kubernetes(summary).pauseHost(action.order);
    case 'unpause host':
      return kubernetes(summary).unpauseHost(action.order);
    case 'request data':
      return { kind: 'claim', claim: await kubernetes(summary).requestData(action.order) };
    case 'fill host':
    case 'deprovision host':
      return kubernetes(summary).changeHost(action.order);
    case 'find node':
      return lookingAgain(
        action.told === undefined
          ? await workload(summary).findNode(action.order)
          : await awaiting(summary).awaitNode({ order: action.order, told: action.told }),
      );
    case 'sync labels':
      await workload(summary).syncNodeLabels(action.order);
      return { kind: 'done' };
    case 'let data go':
      return { kind: 'claim', claim: await kubernetes(summary).letDataGo(action.order) };
    case 'release host':
      return hostRequests(summary).returnHost({ ...action.order, ticket: uuid4() });
  }
}

const lookingAgain = (found: NodeLinkAnswer): MachineAnswer =>
  found.answer.kind === 'linked' && patched(PATCHES.nodeLookedForAgain) ? { ...found, again: true } : found;

/** Chooses a host and claims it; chooses another if somebody was faster. */
async function associate(order: AssociateOrder, summary: string): Promise<MachineAnswer> {
  if (order.host !== undefined) return claimed(await claimHost(order, order.host), false);
  const refused: string[] = [];
  for (;;) {
    const choice = await bridge(summary).chooseHost({ ...order, refused });
    if (choice.kind !== 'chosen') return choice;
    const answer = await claimHost(order, choice.host, choice.reuse);
    const isOurs = answer.kind === 'host' && answer.host !== null;
    refused.push(choice.host.uid);
    if (isOurs || refused.length === ATTEMPTS) return claimed(answer, choice.viaReuse);
  }
}

function claimHost(
  { machine, clusterName }: AssociateOrder,
  host: HostClaimOrder['host'],
  reuse?: string,
): Promise<HostClaimAnswer> {
  const order = { host, machine, clusterName, ...(reuse !== undefined && { reuse }), ticket: uuid4() };
  return hostRequests(`Claim host ${host.name}`).requestHost(order);
}

function claimed(answer: HostClaimAnswer, viaReuse: boolean): MachineAnswer {
  if (answer.kind === 'refused') return { kind: 'invalid', message: answer.message };
  return answer.kind === 'host' && answer.host !== null ? { kind: 'associated', host: answer.host, viaReuse } : answer;
}
