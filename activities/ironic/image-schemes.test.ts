import { afterEach, describe, expect, test } from 'vitest';
import { desiredSettings } from '../../domain/ironic/node-settings.ts';
import type { ProvisionOrder, RegisterOrder } from '../../domain/ironic/orders.ts';
import type { AgentImage } from '../../domain/preprovisioning/image.ts';
import { anOrder } from '../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../test/builders/scripted-ironic.ts';

/**
 * Each way of an image's URL from an object to Ironic, which would read files of its own for `file://`: the webhook, which
 * may be missing, refuses these URLs, and so do the activities.
 */
let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const node = (state: string): Answer => ({ status: 200, body: aNodeAnswer({ provision_state: state }) });
const scripted = async (...answers: readonly Answer[]): Promise<ScriptedActivities> =>
  (open = await scriptActivities(answers, { deployImages: { kernel: 'file:///images/agent.kernel' } }));

const order = (more: Partial<ProvisionOrder>): ProvisionOrder => ({
  ...anOrder({ nodeId: NODE }),
  retry: false,
  ...more,
});
const deployed = async (more: Partial<ProvisionOrder>): Promise<unknown> =>
  (await scripted(node('available'), node('available'), { status: 202 })).activities.deployNode(order(more));

const AN_ORDER: RegisterOrder = {
  host: anOrder().host,
  nodeId: '',
  bmc: { address: 'redfish-virtualmedia://bmc', credentialsName: 's', disableCertificateVerification: false },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  ...desiredSettings({}),
  credentialsChanged: false,
  credentialsSeen: null,
  retry: false,
  deleting: false,
};
const missing: Answer = 'gone';
const created: Answer = { status: 201, body: aNodeAnswer({ provision_state: 'enroll' }) };
const registered = async (image: AgentImage): Promise<unknown> =>
  (await scripted(missing, created, node('enroll'), { status: 202 })).activities.registerNode({
    ...AN_ORDER,
    agentImage: { image, required: true },
  });

const attached = async (desired: string): Promise<unknown> => {
  const { activities } = await scripted(node('active'), { status: 200, body: [{ inserted: false }] });
  return activities.changeMedia({ host: anOrder().host, nodeId: NODE, desired, attached: '', requested: null });
};

const HTTP = 'http://images/agent';
const WAYS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'the image of a host': (url) => deployed({ image: { url, checksum: 'abc' } }),
  'a live ISO': (url) => deployed({ image: { url, format: 'live-iso' } }),
  'the image of a custom deploy step': (url) =>
    deployed({ image: { url, checksum: 'abc' }, customDeployMethod: 'install_coreos' }),
  'a DataImage': attached,
  'an ISO of the deploy agent': (url) => registered({ format: 'iso', url }),
  'a ramdisk of the deploy agent': (url) => registered({ format: 'initrd', url, kernelUrl: HTTP }),
  'a kernel of the deploy agent': (url) => registered({ format: 'initrd', url: HTTP, kernelUrl: url }),
};

describe.each(Object.entries(WAYS))('%s', (_, send) => {
  test.each([
    ['file:///etc/ironic/ironic.conf', 'invalid scheme in URL, "file" not allowed'],
    ['FILE:///etc/ironic/ironic.conf', 'invalid scheme in URL, "file" not allowed'],
    ['swift:container/image', 'invalid scheme in URL, "swift" not allowed'],
    ['/shared/image', 'invalid scheme in URL, "" not allowed'],
    ['image', 'not a valid absolute URL'],
  ])('with the URL %s is refused, and Ironic gets no request that changes something', async (url, problem) => {
    const { kind, message } = (await send(url)) as { readonly kind: string; readonly message: string };
    expect(['failed', 'refused']).toContain(kind);
    expect(message).toContain(url);
    expect(message).toContain(`is invalid: ${problem}`);
    expect(open?.asked().filter(([request]) => !request.startsWith('GET '))).toEqual([]);
  });
});

test('a kernel of the deploy agent that the operator has configured may have any URL', async () => {
  const answer = await registered({ format: 'initrd', url: HTTP, kernelUrl: 'file:///images/agent.kernel' });
  expect(answer).toMatchObject({ kind: 'registered' });
});

test('a host that is being deleted is registered without an image of the deploy agent that is refused', async () => {
  const { activities, ...scene } = await scripted(missing, created, node('enroll'), { status: 202 });
  const agentImage = { image: { format: 'iso', url: 'file:///etc/passwd' }, required: true } as const;
  const answer = await activities.registerNode({ ...AN_ORDER, deleting: true, agentImage });
  expect(answer).toMatchObject({ kind: 'registered' });
  expect(JSON.stringify(scene.asked())).not.toContain('passwd');
});
