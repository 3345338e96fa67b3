import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askRuns } from '../../cli/explain/run.ts';
import { TASK_QUEUE } from '../../workflows/messages.ts';
import { SERVER_NAME, temporalCertificates } from '../builders/temporal-certificates.ts';
import { openTemporalGateway, type TemporalGateway } from '../builders/temporal-gateway.ts';
import { openScene, type Scene, viewOf } from './bridge/harness.ts';
import { know } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';

const shared = sharedControlPlane();
let scene: Scene;
let gateway: TemporalGateway;
beforeAll(async () => {
  const { server, authority } = await temporalCertificates('the CA');
  gateway = await openTemporalGateway(shared.temporalAddress, { server, forbidden: ['DescribeWorkflowExecution'] });
  vi.stubEnv('TEMPORAL_TLS_SERVER_NAME', SERVER_NAME);
  vi.stubEnv('TEMPORAL_TLS_SERVER_CA_CERT_DATA', authority.cert);
  scene = await openScene(shared);
  await scene.startRecorder();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await scene.end();
  await gateway.close();
});

test('a run is explained by its answer when what it does at Ironic cannot be looked up', async () => {
  const { namespace } = scene;
  const metadata = { namespace, name: 'asked', uid: 'u' };
  const workflowId = `baremetalhost/${namespace}/asked`;
  const waitingFor = 'waiting for a person';
  await scene.client.workflow.start('hostWorkflow', { taskQueue: TASK_QUEUE, workflowId });
  const view = viewOf({ metadata } as Parameters<typeof viewOf>[0], 'available', { waitingFor });
  await scene.client.workflow.getHandle(workflowId).signal(know, view);

  const endpoints = { temporalAddress: gateway.address, temporalNamespace: shared.temporalNamespace };
  expect(await askRuns(endpoints)([{ kind: 'BareMetalHost', ...metadata }])).toEqual([{ id: workflowId, waitingFor }]);
  expect(gateway.refused).toEqual(['DescribeWorkflowExecution']);
});
