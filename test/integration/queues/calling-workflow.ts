import {
  answering,
  awaiting,
  forwarding,
  hostRequests,
  ironic,
  ironicFirst,
  listing,
  requests,
  waiting,
} from '../../../workflows/proxies.ts';

/** Has one activity performed, with the queue and the priority that workflows give it. */
export async function callWorkflow(activity: Called): Promise<void> {
  await CALLS[activity]('for a test');
}

const CALLS = {
  deployNode: (summary: string) => ironic(summary).deployNode(anyOrder()),
  undeployNode: (summary: string) => ironic(summary).undeployNode(anyOrder()),
  setPower: (summary: string) => ironicFirst(summary).setPower(anyOrder()),
  abortNode: (summary: string) => ironicFirst(summary).abortNode(anyOrder()),
  deleteNode: (summary: string) => ironicFirst(summary).deleteNode(anyOrder()),
  busyNodes: (summary: string) => listing(summary).busyNodes(),
  waitForNode: (summary: string) => waiting(summary).waitForNode(anyOrder()),
  awaitNode: (summary: string) => awaiting(summary).awaitNode(anyOrder()),
  awaitDrain: (summary: string) => awaiting(summary).awaitDrain(anyOrder()),
  requestHost: (summary: string) => hostRequests(summary).requestHost(anyOrder()),
  returnHost: (summary: string) => hostRequests(summary).returnHost(anyOrder()),
  forwardToHost: (summary: string) => forwarding(summary).forwardToHost(anyOrder()),
  takeHost: (summary: string) => answering(summary).takeHost(anyOrder()),
  settleClaims: (summary: string) => requests(summary).settleClaims(anyOrder()),
  settleAddresses: (summary: string) => requests(summary).settleAddresses(anyOrder()),
} as const;

export type Called = keyof typeof CALLS;

/** The activities of these tests do not look at it. */
const anyOrder = <Order>(): Order => ({}) as Order;
