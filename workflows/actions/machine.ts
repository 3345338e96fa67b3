import { ApplicationFailure, sleep, uuid4 } from '@temporalio/workflow';
import type { HostClaimAnswer, Unattended } from '../../activities/requests/request-host.ts';
import { byName } from '../../domain/entity/by-name.ts';
import type {
  AssociateAnswer,
  AssociateOrder,
  HostAnswer,
  HostClaimOrder,
  MachineAction,
  MachineAnswer,
  NodeLinkAnswer,
  ReleaseOrder,
} from '../../domain/machine/memory/step.ts';
import type { Performing } from '../life/run.ts';
import { awaiting, bridge, hostRequests, requests } from '../proxies.ts';

/** Hosts that are tried before the claim fails because other machines were faster. */
const ATTEMPTS = 5;

/** Performs the next action of a machine. */
export const perform = byName<MachineAction, Promise<MachineAnswer>, [Performing]>({
  associate: async ({ order }, { summary }) => associate(order, summary),
  'look at last host': async ({ order }, { summary }) => requests(summary).findOwnHost(order),
  'block move': async ({ order }, { summary }) => requests(summary).blockMove(order),
  'pause host': async ({ order }, { summary }) => requests(summary).pauseHost(order),
  'unpause host': async ({ order }, { summary }) => requests(summary).unpauseHost(order),
  'request data': async ({ order }, { summary }) => ({
    kind: 'claim',
    claim: await requests(summary).requestData(order),
  }),
  'fill host': async ({ order }, { summary }) => requests(summary).changeHost(order),
  'find node': async ({ order, knownProblem }, { summary }) =>
    lookingAgain(
      knownProblem === undefined
        ? await requests(summary).findNode(order)
        : await awaiting(summary).awaitNode({ order, knownProblem }),
    ),
  'sync labels': async ({ order }, { summary }) => {
    await requests(summary).syncNodeLabels(order);
    return { kind: 'done' };
  },
  'let data go': async ({ order }, { summary }) => ({ kind: 'claim', claim: await requests(summary).letDataGo(order) }),
  'deprovision host': async ({ order }, { summary }) => requests(summary).changeHost(order),
  'release host': async ({ order }, { summary }) => releaseHost(order, summary),
});

export const releaseHost = (order: ReleaseOrder, summary: string): Promise<HostAnswer> =>
  attended(order.host, () => hostRequests(summary).returnHost({ ...order, ticket: uuid4() }));

const lookingAgain = (found: NodeLinkAnswer): MachineAnswer =>
  found.answer.kind === 'linked' ? { ...found, again: true } : found;

/** Chooses a host and claims it; chooses another one if another machine was faster. */
export async function associate(order: AssociateOrder, summary: string): Promise<AssociateAnswer> {
  if (order.host !== undefined) return claimed(await claimHost(order, order.host), false);
  const refused: string[] = [];
  for (;;) {
    const choice = await bridge(summary).chooseHost({ ...order, refused });
    if (choice.kind !== 'chosen') return choice;
    const answer = await claimHost(order, choice.host, choice.reuse);
    const isOurs = answer.kind === 'host' && answer.host !== null;
    if (answer.kind === 'refused' && answer.isUnknown)
      return { kind: 'invalid', message: answer.message, claimed: choice.host.name };
    refused.push(choice.host.uid);
    if (isOurs || refused.length === ATTEMPTS) return claimed(answer, choice.viaReuse);
  }
}

function claimHost(
  { machine, clusterName }: AssociateOrder,
  host: HostClaimOrder['host'],
  reuse?: string,
): Promise<HostClaimAnswer> {
  const order = { host, machine, clusterName, ...(reuse !== undefined && { reuse }) };
  return attended(host, () => hostRequests(`Claim host ${host.name}`).requestHost({ ...order, ticket: uuid4() }));
}

/** Requests to a host without a running workflow before the claim fails, and the pause between them. */
const TRIES = 3;
const PAUSE = '10 seconds';

/**
 * Asks the host's workflow. If none runs, for example because somebody terminated it, the bridge is asked to start it.
 */
async function attended<Answer>(
  { namespace, name }: HostClaimOrder['host'],
  ask: () => Promise<Answer | Unattended>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    if (!isUnattended(answer)) return answer;
    if (tries === TRIES) throw ApplicationFailure.nonRetryable(`host ${name} has no running workflow`, 'Unattended');
    if (tries > 1) await sleep(PAUSE, { summary: `Wait until the workflow of host ${name} runs` });
    await bridge(`Start the workflow of host ${name} again`).revive({ kind: 'BareMetalHost', namespace, name });
  }
}

const isUnattended = (answer: unknown): answer is Unattended =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'unattended';

function claimed(answer: HostClaimAnswer, viaReuse: boolean): AssociateAnswer {
  if (answer.kind === 'refused') return { kind: 'invalid', message: answer.message };
  if (answer.kind !== 'host' || answer.host === null) return answer;
  const { host, refused } = answer;
  return { kind: 'associated', host, viaReuse, ...(refused !== undefined && { refused }) };
}
